package import Domain

/// The description of a route for the OpenAPI document.
package struct Operation: Sendable {
  /// A parameter of the query or a header.
  package struct Parameter: Sendable {
    package enum Place: String, Sendable, CaseIterable { case query, header }

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
  /// True if the query may have parameters that the document does not name, such as columns of a type. The handler
  /// checks them.
  package let hasOpenQuery: Bool
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
    hasOpenQuery: Bool = false,
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
    self.hasOpenQuery = hasOpenQuery
    self.request = request
    self.requestMediaType = requestMediaType
    self.answers = answers
    self.errors = errors
  }
}

extension Operation {
  /// Returns the operation with a further parameter.
  func taking(_ parameter: Parameter, answering answers: [Answer]? = nil) -> Operation {
    Operation(
      id,
      tag: tag,
      summary,
      path: path,
      parameters: parameters + [parameter],
      hasOpenQuery: hasOpenQuery,
      request: request,
      requestMediaType: requestMediaType,
      answers: answers ?? self.answers,
      errors: errors
    )
  }

  /// Refuses parameters of a query that the operation does not have, and repeated ones. A parameter that was ignored,
  /// such as `dry_run`, would change the meaning of the request.
  ///
  /// - Throws: `unknown_fields` with the closest name as a hint, `invalid_input` for a repeated one.
  func requireParameters(_ query: [(name: String, value: String)]) throws(DomainError) {
    guard !hasOpenQuery else { return }
    let known = parameters.filter { $0.place == .query }
    for (index, (name, _)) in query.enumerated() {
      guard let parameter = known.first(where: { $0.name == name }) else {
        let names = known.map(\.name)
        let closest = Suggestion.closest(to: name, among: names)
        throw DomainError(
          .unknownFields,
          "there is no parameter \(Quoted(name))",
          hint: closest.map { "did you mean \($0)?" }
            ?? (names.isEmpty ? "send no parameters" : "use only: \(names.joined(separator: ", "))"),
          details: ["fields": [.string(name)]]
        )
      }
      guard parameter.isRepeatable || !query[..<index].contains(where: { $0.name == name }) else {
        throw DomainError(.invalidInput, "the parameter \(name) is given more than once")
      }
    }
  }
}
