/// An error of secret handling; it never contains a secret.
package struct SecretsError: Error, Equatable, CustomStringConvertible {
  /// The kinds of failure; the error catalogue maps them to codes and hints.
  package enum Kind: String, Sendable {
    /// A password is too short or too long, easy to guess or in a list, or contains a NUL character.
    case unacceptablePassword
    /// The operator's list of passwords cannot be read.
    case passwordListUnusable
    /// All threads are busy and the queue is full; a later call may succeed.
    case busy
    /// The text is not a token of this kind, or its checksum is wrong.
    case malformedToken
    /// The key file does not exist.
    case keyFileMissing
    /// Others than its owner can read or write the key file, or it belongs to another user.
    case keyFileExposed
    /// The key file has invalid content.
    case keyFileMalformed
    /// The key file is that of another database.
    case keyFileForeign
    /// The key file cannot be read or written, or is not a regular file.
    case keyFileUnusable
    /// A company's secret cannot be opened, is empty or too long, or has an invalid name.
    case secretMissing
    /// Others than its owner can access a company's secret, or it belongs to another user.
    case secretExposed
    /// The operator has bound a company's secret to other addresses.
    case secretBound
    /// A secret in the database cannot be decrypted with the keys of the key file.
    case secretSealed
    /// The C library or libcrypto reported an error.
    case libraryFailure
  }

  /// The kind of failure.
  package var kind: Kind
  /// The message, in one line.
  package var message: String
  /// The instruction that fixes the error; nil if there is none.
  package var hint: String?

  /// Creates an error; neither text may contain a secret.
  package init(_ kind: Kind, _ message: String, hint: String? = nil) {
    self.kind = kind
    self.message = message
    self.hint = hint
  }

  package var description: String { message }
}
