/// The members of a JSON object in the order they were written.
///
/// Two objects with the same members are equal whatever their order.
package struct JSONObject: Sendable {
  /// The names in order.
  package private(set) var keys: [String] = []
  private var values: [String: JSONValue] = [:]

  /// An object without members.
  package init() {}

  /// Takes members in order; of two with one name the later wins, at the earlier one's place.
  package init(_ members: some Sequence<(String, JSONValue)>) {
    for (key, value) in members { self[key] = value }
  }

  /// The member of a name; setting nil removes it, and a new name goes last.
  package subscript(key: String) -> JSONValue? {
    get { values[key] }
    set {
      if let newValue {
        if values.updateValue(newValue, forKey: key) == nil { keys.append(key) }
      } else if values.removeValue(forKey: key) != nil {
        keys.removeAll { $0 == key }
      }
    }
  }

  /// Whether there are no members.
  package var isEmpty: Bool { keys.isEmpty }

  /// How many members there are.
  package var count: Int { keys.count }

  /// The members in order.
  package var members: [(key: String, value: JSONValue)] {
    keys.map { ($0, values[$0] ?? .null) }
  }
}

extension JSONObject: Hashable {
  /// Compares members regardless of their order.
  package static func == (left: JSONObject, right: JSONObject) -> Bool { left.values == right.values }

  /// Hashes members regardless of their order.
  package func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// Writes members in source order.
  package init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}

extension JSONObject: Codable {
  /// Reads a keyed container in the order in which the decoder lists its keys.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: NamedKey.self)
    for key in container.allKeys { self[key.stringValue] = try container.decode(JSONValue.self, forKey: key) }
  }

  /// Writes a keyed container in order.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: NamedKey.self)
    for (key, value) in members { try container.encode(value, forKey: NamedKey(key)) }
  }
}
