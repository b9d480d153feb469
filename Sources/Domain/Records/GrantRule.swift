/// A grant of a built-in role on the records of a type, as declared in a manifest.
package enum GrantRule: Sendable, Hashable {
  /// Every verb of the type, transitions included.
  case all
  /// One verb, such as `read`, `update.own` or `start`.
  case verb(String)

  /// Returns the permissions that the rule grants on a type.
  package func permissions(of type: RecordTypeDefinition, workflow: WorkflowDefinition?) -> [Permission] {
    switch self {
    case .all: type.permissions(with: workflow).filter { !$0.isOwn }
    case .verb(let verb): [Permission(trusted: "\(type.name).\(verb)")]
    }
  }
}

extension GrantRule: Codable {
  package init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    let words = text.split(separator: ".", omittingEmptySubsequences: false)
    guard words.count == 1 || words.count == 2 && words[1] == "own", words.allSatisfy(Identifier.isWord)
    else {
      throw DomainError(
        .invalidPermission,
        "\(Quoted(text)) is not a verb of a type",
        hint:
          "write all, read, create, update, update.own, delete, delete.own, export or a transition's verb"
      )
    }
    self = text == "all" ? .all : .verb(text)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .all: try container.encode("all")
    case .verb(let verb): try container.encode(verb)
    }
  }
}
