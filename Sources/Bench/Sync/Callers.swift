internal import Secrets

/// Concurrent callers that block, each on a thread of its own, so that none waits for another's answer.
enum Callers {
  /// Runs a body once per caller, at the same time.
  ///
  /// - Parameter body: gets the number of the caller, from 0.
  /// - Returns: the values in the order of the callers.
  static func run<Value: Sendable>(
    _ count: Int,
    _ body: @escaping @Sendable (Int) throws -> Value
  ) async throws -> [Value] {
    let pool = ThreadPool(threads: count, queueLimit: count)
    return try await withThrowingTaskGroup(of: (Int, Value).self) { group in
      for caller in 0..<count {
        group.addTask {
          let result: Result<Value, any Error> = try await pool.run { Result { try body(caller) } }
          return (caller, try result.get())
        }
      }
      var values = [Value?](repeating: nil, count: count)
      for try await (caller, value) in group { values[caller] = value }
      return values.compactMap(\.self)
    }
  }

  /// Runs a body on one thread.
  static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    let pool = ThreadPool(threads: 1, queueLimit: 1)
    let result: Result<Value, any Error> = try await pool.run { Result { try body() } }
    return try result.get()
  }

  /// Repeats a body in every caller for a period.
  ///
  /// - Parameter body: gets the number of the caller and does work until the given time; returns the number of
  ///   units.
  /// - Returns: the finished units of work and the time that they took.
  static func load(
    _ count: Int,
    seconds: Double,
    _ body: @escaping @Sendable (Int, ContinuousClock.Instant) throws -> Int
  ) async throws -> Sample {
    let start = ContinuousClock.now
    let end = start + .seconds(seconds)
    let units = try await run(count) { try body($0, end) }
    return Sample(
      units: Double(units.reduce(0, +)),
      seconds: (ContinuousClock.now - start) / .seconds(1)
    )
  }
}
