/// Runs work in many concurrent callers for a period.
enum Load {
  /// Returns the number of finished units of work and the time that they took.
  ///
  /// - Parameters:
  ///   - clients: the number of callers.
  ///   - body: does work for the caller with a number, knowing the end of the period, and returns the number
  ///     of units. Called repeatedly until the end; work in progress is finished and counted, with its time.
  static func run(
    clients: Int,
    seconds: Double,
    _ body: @escaping @Sendable (Int, ContinuousClock.Instant) async throws -> Int
  ) async throws -> Sample {
    let clock = ContinuousClock()
    let start = clock.now
    let end = start + .seconds(seconds)
    let units = try await withThrowingTaskGroup(of: Int.self) { group in
      for client in 0..<clients {
        group.addTask {
          var units = 0
          while clock.now < end { units += try await body(client, end) }
          return units
        }
      }
      return try await group.reduce(0, +)
    }
    return Sample(units: Double(units), seconds: (clock.now - start) / .seconds(1))
  }
}
