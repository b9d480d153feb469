/// A refusal or failure that a person can act upon: what happened, and what to do about it.
///
/// The same value becomes a line on stderr with an exit code and an HTTP problem document; both take their
/// titles and hints from ``ErrorCode``.
package struct DomainError: Error, Sendable, Hashable {
  /// Which entry of the catalogue this is; stable across releases.
  package let code: ErrorCode

  /// What happened, in one sentence without a full stop, naming the values concerned (never a secret).
  package let message: String

  /// What the reader can do now; the catalogue's hint unless the place that refused knows better.
  package let hint: String

  /// Facts for programs, such as the transitions that would have been allowed.
  package let details: JSONObject

  /// Refuses with a code of the catalogue; message and hint default to what the catalogue says.
  package init(
    _ code: ErrorCode,
    _ message: String? = nil,
    hint: String? = nil,
    details: JSONObject = [:]
  ) {
    self.code = code
    self.message = message ?? code.title
    self.hint = hint ?? code.hint
    self.details = details
  }

  /// The kind of failure, from which exit codes and HTTP status codes are derived elsewhere.
  package var category: ErrorCategory { code.category }
}

extension DomainError: CustomStringConvertible {
  /// The two lines a terminal shows, without colour.
  package var description: String { "error[\(code.rawValue)]: \(message)\nhint: \(hint)" }
}

extension DomainError {
  /// Turns what a decoder threw into a refusal that names the path in the document.
  ///
  /// Decoders wrap the errors of the types they decode; a refusal of ours inside one is returned as it was.
  package static func reading(_ error: any Error, in document: String) -> DomainError {
    if let refusal = error as? DomainError { return refusal.locating(in: document) }
    guard let decoding = error as? DecodingError else {
      return DomainError(.invalidDocument, "\(document) cannot be read: \(error)")
    }
    let context: DecodingError.Context
    var problem: String
    switch decoding {
    case .keyNotFound(let key, let found):
      context = found
      problem = "\(key.stringValue) is missing"
    case .typeMismatch(_, let found), .valueNotFound(_, let found):
      context = found
      problem = "the value has the wrong type"
    case .dataCorrupted(let found):
      context = found
      problem = found.debugDescription
    @unknown default:
      return DomainError(.invalidDocument, "\(document) cannot be read: \(decoding)")
    }
    if let refusal = context.underlyingError as? DomainError { return refusal.locating(in: document) }
    if let cause = context.underlyingError { problem += " \(cause)" }
    let path = DocumentPath.text(context.codingPath)
    return DomainError(
      .invalidDocument,
      "\(document): \(path.isEmpty ? "" : "\(path): ")\(problem)",
      details: ["document": .string(document), "path": .string(path)]
    )
  }

  private func locating(in document: String) -> DomainError {
    var located = details
    located["document"] = .string(document)
    return DomainError(code, "\(document): \(message)", hint: hint, details: located)
  }
}
