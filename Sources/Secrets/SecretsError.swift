/// An error of secret handling; it never contains a secret.
package struct SecretsError: Error, Equatable, CustomStringConvertible {
  /// The kinds of failure; the error catalogue maps them to codes and hints.
  package enum Kind: String, Sendable {
    /// A password that is too short or too long, or contains a NUL.
    case unacceptablePassword
    /// All threads are busy and the queue is full; a later call may succeed.
    case busy
    /// A token that was mistyped, truncated or never issued.
    case malformedToken
    /// The key file does not exist.
    case keyFileMissing
    /// Others than its owner can read or write the key file.
    case keyFileExposed
    /// The key file has invalid content.
    case keyFileMalformed
    /// The key file could not be read or written.
    case keyFileUnusable
    /// The secret of a company is not in the operator's folder.
    case secretMissing
    /// Others than its owner can read a company's secret.
    case secretExposed
    /// The C library or libcrypto reported an error.
    case libraryFailure
  }

  /// The kind of failure.
  package var kind: Kind
  /// The message in one sentence.
  package var message: String
  /// The remedy, if there is one.
  package var hint: String?

  /// Creates an error; neither text may contain a secret.
  package init(_ kind: Kind, _ message: String, hint: String? = nil) {
    self.kind = kind
    self.message = message
    self.hint = hint
  }

  package var description: String { message }
}
