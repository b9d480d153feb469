/// The input that a transition requires.
package struct Requirements: Sendable, Hashable {
  /// The columns that must have a value, in the record or in the request.
  package let fields: [String]
  /// The minimum length of the comment in characters, at least 1; nil if no comment is required.
  package let commentMinimum: Int?

  /// Creates requirements; by default nothing is required.
  package init(fields: [String] = [], commentMinimum: Int? = nil) {
    self.fields = fields
    self.commentMinimum = commentMinimum
  }
}

extension Requirements: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case fields, comment
  }

  private struct CommentRule: Codable {
    let min: Int

    init(min: Int) { self.min = min }

    init(from decoder: any Decoder) throws {
      let object = try StrictObject(decoder, keys: ["min"])
      min = try object.required("min")
      guard min >= 1 else {
        throw object.invalid("min", "min must be 1 or more")
      }
    }
  }

  package init(from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: CodingKeys.allCases.map(\.rawValue))
    self.init(
      fields: try object.value("fields", default: []),
      commentMinimum: try object.optional("comment", as: CommentRule.self)?.min
    )
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    if !fields.isEmpty { try container.encode(fields, forKey: .fields) }
    if let commentMinimum { try container.encode(CommentRule(min: commentMinimum), forKey: .comment) }
  }
}
