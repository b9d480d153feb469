internal import Domain

/// What a job does, and what must have become of it in the end.
enum Deed: String, CaseIterable, Sendable {
  /// Writes a row with its success.
  case effect
  /// The same, and enqueues another job with it.
  case chain
  /// Adds a line to a file, which no transaction takes back.
  case outside
  /// Fails some times before it writes a row.
  case flaky
  /// Fails for good.
  case broken
  /// Does not end by itself the first time, but when it is told to.
  case hang
  /// Does not even end when it is told to.
  case deaf
  /// Kills its worker, every time.
  case crash

  var kind: String { "chaos.\(rawValue)" }

  /// How it ends.
  var end: JobState {
    switch self {
    case .broken, .crash: .dead
    case .effect, .chain, .outside, .flaky, .hang, .deaf: .succeeded
    }
  }

  /// How many rows it writes.
  var effects: Int {
    switch self {
    case .effect, .chain, .flaky, .hang, .deaf: 1
    case .outside, .broken, .crash: 0
    }
  }

  /// How often it occurs among a hundred jobs.
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
