internal import Secrets

/// Concurrent callers: tasks, or threads for calls that block.
enum Load {
  /// Repeats a body, which returns the number of its units, in many concurrent tasks for a period. Work in progress at the
  /// end is finished and counted, with its time.
  static func tasks(
    _ count: Int,
    seconds: Int,
    _ body: @escaping @Sendable (Int) async throws -> Int
  ) async throws -> Sample {
    let end = ContinuousClock.now + .seconds(seconds)
    return try await atOnce(count) { caller in
      var units = 0
      while ContinuousClock.now < end { units += try await body(caller) }
      return units
    }
  }

  /// Repeats a body in many threads for a period.
  ///
  /// - Parameter open: gets the number of the caller and returns its body, which returns the number of units.
  static func threads(
    _ count: Int,
    seconds: Int,
    _ open: @escaping @Sendable (Int) throws -> () throws -> Int
  ) async throws -> Sample {
    let end = ContinuousClock.now + .seconds(seconds)
    return try await atOnce(count) { caller in
      try await thread {
        let body = try open(caller)
        var units = 0
        while ContinuousClock.now < end { units += try body() }
        return units
      }
    }
  }

  private static func atOnce(_ count: Int, _ body: @escaping @Sendable (Int) async throws -> Int) async throws
    -> Sample
  {
    try await Sample.timed {
      try await withThrowingTaskGroup(of: Int.self) { group in
        for caller in 0..<count { group.addTask { try await body(caller) } }
        return try await group.reduce(0, +)
      }
    }
  }

  static func thread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    let pool = ThreadPool(threads: 1, queueLimit: 1)
    let result: Result<Value, any Error> = try await pool.run { Result { try body() } }
    return try result.get()
  }
}
