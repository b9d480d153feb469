package import Domain

/// The description of a route for the OpenAPI document.
package struct Operation: Sendable {
  /// A parameter of the query or a header.
  package struct Parameter: Sendable {
    package enum Place: String, Sendable { case query, header }

    package let name: String
    package let place: Place
    package let description: String
    package let schema: Schema
    package let isRequired: Bool
    /// True if the parameter may be given several times.
    package let isRepeatable: Bool

    package init(
      _ name: String,
      in place: Place = .query,
      _ description: String,
      _ schema: Schema = .string,
      isRequired: Bool = false,
      isRepeatable: Bool = false
    ) {
      self.name = name
      self.place = place
      self.description = description
      self.schema = schema
      self.isRequired = isRequired
      self.isRepeatable = isRepeatable
    }
  }

  /// A successful answer.
  package struct Answer: Sendable {
    package let status: Int
    package let description: String
    /// The schema of the JSON body; nil for an answer without JSON.
    package let schema: Schema?
    /// The media type of a body that is not JSON; nil for JSON or none.
    package let mediaType: String?

    package init(_ status: Int, _ description: String, _ schema: Schema? = nil, mediaType: String? = nil) {
      self.status = status
      self.description = description
      self.schema = schema
      self.mediaType = mediaType
    }
  }

  /// The id of the operation, unique in the document, such as `listMembers`.
  package let id: String
  /// The group of the operation, such as `members`.
  package let tag: String
  /// One line: the imperative, without a full stop.
  package let summary: String
  /// The schemas of the pattern's placeholders that are not plain text, by name.
  package let path: [String: Schema]
  package let parameters: [Parameter]
  /// The schema of the JSON body of the request; nil for a request without JSON.
  package let request: Schema?
  /// The media type of a streamed body; nil for `application/octet-stream`.
  package let requestMediaType: String?
  package let answers: [Answer]
  /// The codes of the errors that are particular to this operation. Those of every operation are added.
  package let errors: [ErrorCode]

  package init(
    _ id: String,
    tag: String,
    _ summary: String,
    path: [String: Schema] = [:],
    parameters: [Parameter] = [],
    request: Schema? = nil,
    requestMediaType: String? = nil,
    answers: [Answer],
    errors: [ErrorCode] = []
  ) {
    self.id = id
    self.tag = tag
    self.summary = summary
    self.path = path
    self.parameters = parameters
    self.request = request
    self.requestMediaType = requestMediaType
    self.answers = answers
    self.errors = errors
  }
}
