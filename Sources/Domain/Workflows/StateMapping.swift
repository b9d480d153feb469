/// The state to which a new version of a workflow moves the records of a state that it does not have.
package struct StateMapping: Sendable, Hashable {
  /// The state in the previous version.
  package let from: String
  /// The state in the new version.
  package let to: String

  /// Creates a mapping.
  package init(from: String, to: String) {
    self.from = from
    self.to = to
  }
}

/// The `migrate:` of a workflow: a mapping from old states to new ones, sorted by the old one.
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
