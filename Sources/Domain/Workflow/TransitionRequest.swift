/// Request for a transition of a record.
package struct TransitionRequest: Sendable, Hashable, Codable {
  /// The transition.
  package let transition: String
  /// Comment of the actor.
  package let comment: String?
  /// The version the actor has seen; nil to take whatever there is.
  package let expectedVersion: Int64?
  /// Values for fields that the transition requires.
  package let fields: JSONObject

  /// The longest comment in characters.
  package static let longestComment = 4000

  /// Puts a request together.
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
