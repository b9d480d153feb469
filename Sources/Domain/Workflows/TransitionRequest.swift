/// A request for a transition of a record.
package struct TransitionRequest: Sendable, Hashable, Codable {
  /// The transition.
  package let transition: String
  /// The actor's comment; nil if there is none.
  package let comment: String?
  /// The version that the actor has read; nil to accept any version.
  package let expectedVersion: Int64?
  /// The values of fields that the transition requires, by column.
  package let fields: JSONObject
  /// When a device without a connection made the request; nil for a request of now.
  package let madeAt: Instant?

  /// The maximum length of a comment in Unicode scalars.
  package static let longestComment = 4000

  /// Creates a request.
  package init(
    _ transition: String,
    comment: String? = nil,
    expectedVersion: Int64? = nil,
    fields: JSONObject = [:],
    madeAt: Instant? = nil
  ) {
    self.transition = transition
    self.comment = comment
    self.expectedVersion = expectedVersion
    self.fields = fields
    self.madeAt = madeAt
  }

  /// Returns the same request with other fields.
  package func with(_ fields: JSONObject) -> TransitionRequest {
    TransitionRequest(
      transition,
      comment: comment,
      expectedVersion: expectedVersion,
      fields: fields,
      madeAt: madeAt
    )
  }
}
