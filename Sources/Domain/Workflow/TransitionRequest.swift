/// A request for a transition of a record.
package struct TransitionRequest: Sendable, Hashable, Codable {
  /// The transition.
  package let transition: String
  /// The comment of the actor.
  package let comment: String?
  /// The version that the actor has seen; nil to accept any version.
  package let expectedVersion: Int64?
  /// Values for fields that the transition requires.
  package let fields: JSONObject

  /// The maximum length of a comment in characters.
  package static let longestComment = 4000

  /// Creates a request.
  package init(
    _ transition: String,
    comment: String? = nil,
    expectedVersion: Int64? = nil,
    fields: JSONObject = [:]
  ) {
    self.transition = transition
    self.comment = comment
    self.expectedVersion = expectedVersion
    self.fields = fields
  }
}
