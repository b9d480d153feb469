internal import Domain

/// The behaviour of a job, with its expected outcome.
enum Deed: String, CaseIterable, Sendable {
  /// Writes a row with its success.
  case effect
  /// Writes a row and enqueues another job.
  case chain
  /// Appends a line to a file, which no transaction undoes.
  case outside
  /// Fails some times before it writes a row.
  case flaky
  /// Always fails.
  case broken
  /// The first attempt ends only when it is cancelled.
  case hang
  /// The first attempt does not end even when it is cancelled.
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

  /// The expected number of rows.
  var effects: Int {
    switch self {
    case .effect, .chain, .flaky, .hang, .deaf: 1
    case .outside, .broken, .crash: 0
    }
  }

  /// The share in a hundred jobs.
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
