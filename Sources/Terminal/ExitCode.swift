/// The exit codes of `fettle`; scripts rely on them, so their meaning never changes.
package enum ExitCode: Int32, Sendable, CaseIterable {
  /// Success.
  case done = 0
  /// An internal error.
  case internalFailure = 1
  /// A named object does not exist, or is not visible to the caller.
  case notFound = 3
  /// A permission is missing.
  case denied = 4
  /// A conflict, or a state that does not allow the operation.
  case conflict = 5
  /// Invalid input.
  case invalidInput = 6
  /// The database is unavailable or did not respond in time.
  case unavailable = 7
  /// `diff` found differences.
  case differences = 8
  /// An error in the command line.
  case usage = 64
  /// Interrupted by Ctrl-C.
  case interrupted = 130
}
