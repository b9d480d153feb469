/// The members of a JSON object in the order written.
///
/// Equality ignores the order of members.
package struct JSONObject: Sendable {
  /// The members in order.
  package private(set) var members: [(key: String, value: JSONValue)] = []
  /// The index of each name if there are more than ``few`` members; a linear search is faster below that.
  private var places: [String: Int] = [:]

  private static let few = 8

  /// An object without members.
  package init() {}

  /// - Parameter members: in order; of two with the same name the later value wins, at the earlier position.
  package init(_ members: some Sequence<(String, JSONValue)>) {
    for (key, value) in members { self[key] = value }
  }

  /// The names in order.
  package var keys: [String] { members.map(\.key) }

  /// The value of a name; nil removes the member, and a new name is appended.
  package subscript(key: String) -> JSONValue? {
    get { place(of: key).map { members[$0].value } }
    set {
      switch (place(of: key), newValue) {
      case (let place?, let value?): members[place].value = value
      case (let place?, nil):
        members.remove(at: place)
        index()
      case (nil, let value?):
        members.append((key, value))
        if members.count == Self.few + 1 {
          index()
        } else if members.count > Self.few {
          places[key] = members.count - 1
        }
      case (nil, nil): break
      }
    }
  }

  /// True if there are no members.
  package var isEmpty: Bool { members.isEmpty }

  /// The number of members.
  package var count: Int { members.count }

  private func place(of key: String) -> Int? {
    members.count > Self.few ? places[key] : members.firstIndex { $0.key == key }
  }

  private mutating func index() {
    places = [:]
    guard members.count > Self.few else { return }
    for (place, member) in members.enumerated() { places[member.key] = place }
  }
}

extension JSONObject: Hashable {
  /// Compares members regardless of their order.
  package static func == (left: JSONObject, right: JSONObject) -> Bool {
    left.count == right.count && left.members.allSatisfy { right[$0.key] == $0.value }
  }

  /// Hashes members regardless of their order.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(Dictionary(members.map { ($0.key, $0.value) }) { $1 })
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// Creates an object from a literal, in source order.
  package init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}

extension JSONObject: Codable {
  /// Decodes a keyed container in the key order of the decoder.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: NamedKey.self)
    for key in container.allKeys { self[key.stringValue] = try container.decode(JSONValue.self, forKey: key) }
  }

  /// Encodes a keyed container in order.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: NamedKey.self)
    for (key, value) in members { try container.encode(value, forKey: NamedKey(key)) }
  }
}
