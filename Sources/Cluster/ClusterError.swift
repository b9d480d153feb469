/// Why a private PostgreSQL cannot be found, made, started or stopped, with what to do about it.
package struct ClusterError: Error, Equatable {
  /// What went wrong, coarse enough to choose an exit code by.
  package enum Kind: Equatable, Sendable {
    /// No PostgreSQL server is installed where we look.
    case binariesMissing
    /// The folder cannot be created, entered or written by the user that runs the server.
    case homeUnusable
    /// The cluster belongs to another user of this machine.
    case belongsToAnother
    /// A program could not be run at all.
    case spawnFailed
    /// `initdb` refused; nothing is left behind.
    case initialisationFailed
    /// The server ended before it was ready.
    case startFailed
    /// The server did not get ready, or did not stop, within the time allowed.
    case timedOut
  }

  package let kind: Kind
  /// One sentence, without a full stop, for the person at the terminal.
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
