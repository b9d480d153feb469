internal import Domain

/// The behaviour of a job, with the expected result.
enum JobBehaviour: String, CaseIterable, Sendable {
  /// Adds a row in the transaction that records its success.
  case effect
  /// Adds a row and enqueues another job in the same transaction.
  case chain
  /// Appends a line to a file, which a rollback does not remove.
  case outside
  /// Fails one to three times, then adds a row.
  case flaky
  /// Fails permanently.
  case broken
  /// Hangs in the first attempt until it is cancelled; adds a row in a later one.
  case hang
  /// Ignores cancellation for 30 seconds in the first attempt; adds a row in a later one.
  case deaf
  /// Kills its worker on every attempt.
  case crash

  var kind: String { "chaos.\(rawValue)" }

  /// The expected final state.
  var end: JobState {
    switch self {
    case .broken, .crash: .dead
    case .effect, .chain, .outside, .flaky, .hang, .deaf: .succeeded
    }
  }

  /// The expected number of rows in `chaos.effect`.
  var effects: Int {
    switch self {
    case .effect, .chain, .flaky, .hang, .deaf: 1
    case .outside, .broken, .crash: 0
    }
  }

  /// The average number of jobs with this behaviour among a hundred.
  var share: Int {
    switch self {
    case .effect: 28
    case .chain: 12
    case .outside: 25
    case .flaky: 15
    case .broken: 8
    case .hang: 6
    case .deaf: 3
    case .crash: 3
    }
  }
}
