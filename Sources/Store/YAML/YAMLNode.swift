/// A value of a YAML document.
struct YAMLNode: Sendable {
  enum Content: Sendable {
    /// The text of a scalar. Only a plain one, which has no quotes, can be a number, a truth value or null.
    case scalar(String, isPlain: Bool)
    case list([YAMLNode])
    case object(YAMLObject)
  }

  /// The node of a document without any.
  static let nothing = YAMLNode(content: .scalar("", isPlain: false), line: 1)

  let content: Content
  /// The line on which the value begins, from 1.
  let line: Int
}

/// The members of an object in their order, each with the line of its key.
struct YAMLObject: Sendable {
  struct Member: Sendable {
    let key: String
    let line: Int
    let value: YAMLNode
  }

  private(set) var members: [Member] = []
  private var places: [String: Int] = [:]

  subscript(key: String) -> YAMLNode? { places[key].map { members[$0].value } }

  /// Adds a member with a new key.
  mutating func append(_ member: Member) {
    places[member.key] = members.count
    members.append(member)
  }
}
