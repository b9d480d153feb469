/// An error of the embedded PostgreSQL cluster, with a hint.
package struct ClusterError: Error, Equatable {
  /// The category of the error; decides the exit code.
  package enum Kind: Equatable, Sendable {
    /// No PostgreSQL server was found.
    case binariesMissing
    /// The folder cannot be created, entered or written by the user that runs the server.
    case homeUnusable
    /// The cluster belongs to another user of this machine.
    case belongsToAnother
    /// A program could not be run at all.
    case spawnFailed
    /// `initdb` failed; it left nothing behind.
    case initialisationFailed
    /// The server exited before it was ready.
    case startFailed
    /// The server did not start or stop in time.
    case timedOut
  }

  package let kind: Kind
  /// One sentence without a full stop, for the operator.
  package let message: String
  /// The command or setting that helps.
  package let hint: String

  package init(_ kind: Kind, _ message: String, hint: String) {
    self.kind = kind
    self.message = message
    self.hint = hint
  }

  /// An error for a system call that failed with `errno`.
  static func system(
    _ kind: Kind,
    _ action: String,
    errno code: Int32,
    hint: String
  ) -> ClusterError {
    ClusterError(kind, "\(action): \(systemMessage(code))", hint: hint)
  }
}

extension ClusterError: CustomStringConvertible {
  package var description: String { "\(message)\nhint: \(hint)" }
}
