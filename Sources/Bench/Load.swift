/// Runs work from many callers at once, for a while.
enum Load {
  /// Counts what was done.
  ///
  /// - Parameters:
  ///   - body: does some work for the caller of that number and says how many units it was. It is called until the
  ///     time is over; what is under way then is finished and counted, with the time that it takes.
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
