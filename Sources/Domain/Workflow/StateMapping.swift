/// The mapping of a state that a new version of a workflow no longer has.
package struct StateMapping: Sendable, Hashable {
  /// The state of the previous version.
  package let from: String
  /// The state of this version.
  package let to: String

  /// Maps one state to another.
  package init(from: String, to: String) {
    self.from = from
    self.to = to
  }
}

/// The `migrate:` mapping of a document: old state to new, sorted by the old one.
struct StateMappings: Codable {
  let mappings: [StateMapping]

  init(mappings: [StateMapping]) { self.mappings = mappings }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: NamedKey.self)
    mappings = try container.allKeys.sorted(by: { $0.stringValue < $1.stringValue }).map { key in
      StateMapping(from: key.stringValue, to: try container.decode(String.self, forKey: key))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: NamedKey.self)
    for mapping in mappings { try container.encode(mapping.to, forKey: NamedKey(mapping.from)) }
  }
}
