/// A refusal or a failure, with its cause and a hint.
///
/// The command line prints it on stderr and derives the exit code from it; the HTTP API returns it as a
/// problem document. Both take default titles and hints from ``ErrorCode``.
package struct DomainError: Error, Sendable, Hashable {
  /// The error code; stable across releases.
  package let code: ErrorCode

  /// The message: one sentence without a full stop, with the values that it is about, never with a secret.
  package let message: String

  /// The action that resolves the error: the catalogue's hint, unless the throwing code gives a better one.
  package let hint: String

  /// Machine-readable facts, such as the allowed transitions.
  package let details: JSONObject

  /// Creates an error. The message and the hint default to those of the catalogue.
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

  /// The category, which determines the exit code and the HTTP status code.
  package var category: ErrorCategory { code.category }
}

extension DomainError: CustomStringConvertible {
  /// The two lines that a terminal prints, without colour.
  package var description: String { "error[\(code.rawValue)]: \(message)\nhint: \(hint)" }
}

extension DomainError {
  /// Converts an error of a decoder to a ``DomainError`` that names the document and the path in it.
  ///
  /// A ``DomainError``, also one wrapped by a decoder, keeps its code and hint; the document's name is added.
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
