/// An error of a store of blobs. Its text names no path, host or secret.
package struct FilesError: Error, Equatable, CustomStringConvertible {
  /// The kinds of failure.
  package enum Kind: String, Sendable {
    /// The store has no such bytes.
    case missing
    /// The bytes are not those that the caller expects: a gap in an upload, or another size.
    case mismatch
    /// Too many operations are waiting; a later attempt may succeed.
    case busy
    /// The store has no space left.
    case full
    /// The store cannot be reached or answers with an error; a later attempt may succeed.
    case unavailable
    /// The place of the store, or its credentials, cannot be used.
    case invalidPlace
    /// A signed link is malformed or was not signed with a key of this installation.
    case invalidLink
  }

  /// The kind of failure.
  package let kind: Kind
  /// The message, in one line.
  package let message: String

  /// Creates an error.
  package init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  package var description: String { message }
}
