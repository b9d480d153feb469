internal import Synchronization

/// Counts runs of pgbench over the whole program, so that no two use the same numbers.
struct Counter: Sendable {
  private static let count = Mutex(0)

  func next() -> Int {
    Self.count.withLock { count in
      count += 1
      return count
    }
  }
}
