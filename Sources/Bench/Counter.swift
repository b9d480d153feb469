internal import Synchronization

/// Numbers the runs of pgbench across the process, so that no two runs use the same ids.
struct Counter: Sendable {
  private static let count = Mutex(0)

  func next() -> Int {
    Self.count.withLock { count in
      count += 1
      return count
    }
  }
}
