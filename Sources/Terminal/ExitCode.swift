/// The codes with which `fettle` ends; scripts rely on them, so they never change their meaning.
package enum ExitCode: Int32, Sendable, CaseIterable {
  /// Done.
  case done = 0
  /// A fault of ours.
  case internalFailure = 1
  /// What was named does not exist, or not for this person.
  case notFound = 3
  /// The person may not do this.
  case denied = 4
  /// The state of things does not allow it, or somebody was faster.
  case conflict = 5
  /// The input breaks a rule.
  case invalidInput = 6
  /// The database cannot be reached or did not answer in time.
  case unavailable = 7
  /// `diff` found that something would change.
  case differences = 8
  /// The command line itself is wrong.
  case usage = 64
  /// Ctrl-C.
  case interrupted = 130
}
