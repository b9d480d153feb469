/// An error of the embedded PostgreSQL cluster, with a hint.
package struct ClusterError: Error, Equatable {
  /// The category of the error; decides the exit code.
  package enum Kind: Equatable, Sendable {
    /// No PostgreSQL server is installed, or not in the version that created the data.
    case binariesMissing
    /// The folder cannot be created, entered or written by the user that runs the server, or no such user
    /// exists.
    case homeUnusable
    /// The cluster or its folder belongs to another user of this machine.
    case belongsToAnother
    /// A program could not be started or waited for.
    case spawnFailed
    /// A program that does a part of the work is not installed.
    case programMissing
    /// A program that does a part of the work failed.
    case programFailed
    /// `initdb` or the setup after it failed; the next start begins again.
    case initialisationFailed
    /// The server exited before it was ready, processes of a killed server did not end, or the server is
    /// running on another port than requested.
    case startFailed
    /// The server did not start or stop in time, or another process held a lock for too long.
    case timedOut
  }

  package let kind: Kind
  /// The message for the operator: one sentence, lower case, without a full stop.
  package let message: String
  /// An imperative with the command or setting that helps.
  package let hint: String

  package init(_ kind: Kind, _ message: String, hint: String) {
    self.kind = kind
    self.message = message
    self.hint = hint
  }

  /// Returns an error for a system call that failed with `errno`.
  ///
  /// - Parameter action: the failed action, such as `cannot open /path`; the system's message is appended.
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
