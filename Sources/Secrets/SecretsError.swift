/// What went wrong with a secret, never containing the secret itself.
package struct SecretsError: Error, Equatable, CustomStringConvertible {
  /// The ways in which work with secrets fails; the catalogue of messages turns them into codes and hints.
  package enum Kind: String, Sendable {
    /// A password shorter or longer than the rules allow, or one holding a NUL.
    case unacceptablePassword
    /// All workers and every place in the queue are taken; trying again later may succeed.
    case busy
    /// A token that was mistyped, cut off or never was one of ours.
    case malformedToken
    /// The key file is not where it should be.
    case keyFileMissing
    /// The key file can be read or written by others than its owner.
    case keyFileExposed
    /// The key file exists but does not hold what a key file holds.
    case keyFileMalformed
    /// The key file could not be read or written.
    case keyFileUnusable
    /// A company's secret is not in the operator's folder.
    case secretMissing
    /// A company's secret can be read by others than its owner.
    case secretExposed
    /// The C library or libcrypto refused to do its part.
    case libraryFailure
  }

  /// Which failure it is.
  package var kind: Kind
  /// The failure in a sentence for people.
  package var message: String
  /// What the reader can do about it, if anything is known.
  package var hint: String?

  /// Describes a failure; neither text may contain a secret.
  package init(_ kind: Kind, _ message: String, hint: String? = nil) {
    self.kind = kind
    self.message = message
    self.hint = hint
  }

  package var description: String { message }
}
