/// A refusal or failure with its cause and its remedy.
///
/// The same value becomes a line on stderr with an exit code and an HTTP problem document; both take titles
/// and hints from ``ErrorCode``.
package struct DomainError: Error, Sendable, Hashable {
  /// The entry of the catalogue; stable across releases.
  package let code: ErrorCode

  /// The message, in one sentence without a full stop, with the values concerned and never a secret.
  package let message: String

  /// The remedy; the catalogue's hint unless the throwing code provides a better one.
  package let hint: String

  /// Machine-readable facts, such as the allowed transitions.
  package let details: JSONObject

  /// Creates an error; message and hint default to those of the catalogue.
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

  /// The category, from which exit codes and HTTP status codes are derived.
  package var category: ErrorCategory { code.category }
}

extension DomainError: CustomStringConvertible {
  /// The two lines that a terminal shows, without color.
  package var description: String { "error[\(code.rawValue)]: \(message)\nhint: \(hint)" }
}

extension DomainError {
  /// Converts a decoding error to a refusal that names the path in the document.
  ///
  /// Decoders wrap the errors of nested types; a ``DomainError`` inside one is returned unchanged.
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
