/// The members of a JSON object, in the order in which they were written.
///
/// Objects with the same members in another order are equal.
package struct JSONObject: Sendable {
  /// The members in order.
  package private(set) var members: [(key: String, value: JSONValue)] = []
  /// The index of each name; empty up to ``few`` members, where a linear search is faster.
  private var places: [String: Int] = [:]

  private static let few = 8

  /// Creates an object without members.
  package init() {}

  /// Creates an object.
  ///
  /// - Parameter members: the members in order. If a name occurs twice, the later value takes the earlier
  ///   position.
  package init(_ members: some Sequence<(String, JSONValue)>) {
    for (key, value) in members { self[key] = value }
  }

  /// The names of the members in order.
  package var keys: [String] { members.map(\.key) }

  /// The value of the member with a name. Setting nil removes the member; a new name is appended.
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

  /// True if the object has no members.
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
  /// True if the members are equal, in any order.
  package static func == (left: JSONObject, right: JSONObject) -> Bool {
    left.count == right.count && left.members.allSatisfy { right[$0.key] == $0.value }
  }

  /// Hashes the members, independent of their order.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(Dictionary(members.map { ($0.key, $0.value) }) { $1 })
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// Creates an object from a literal, in the order of the literal.
  package init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}
