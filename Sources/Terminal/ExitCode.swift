/// The exit codes of `fettle`. Their meaning never changes, because scripts rely on them.
package enum ExitCode: Int32, Sendable, CaseIterable {
  /// Success.
  case done = 0
  /// An internal error, output that cannot be written, or a failed check of `fettle doctor`.
  case internalFailure = 1
  /// A named object does not exist, or is not visible to the caller.
  case notFound = 3
  /// A permission is missing; also the result of `fettle access explain` if access is denied.
  case denied = 4
  /// A conflict, or a state that does not allow the operation.
  case conflict = 5
  /// Invalid input.
  case invalidInput = 6
  /// The database or another required program is unavailable or did not respond in time.
  case unavailable = 7
  /// `fettle diff` found differences, or `fettle verify` or `fettle history verify` has findings.
  case differences = 8
  /// An error in the command line.
  case usage = 64
  /// Interrupted by a signal, such as Ctrl-C.
  case interrupted = 130
}
