import Synchronization

/// A clock that a test moves, in seconds since 1970.
final class TestClock: Sendable {
  private let time = Mutex<Int64>(1_000)

  var now: Int64 { time.withLock { $0 } }

  func advance(_ seconds: Int64) { time.withLock { $0 += seconds } }
}
