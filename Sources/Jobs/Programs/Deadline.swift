/// Runs an operation for at most a given time.
enum Deadline {
  /// - Throws: ``JobFailure/temporary(_:after:)`` when the time is over; the body is cancelled and awaited.
  static func run<Value: Sendable>(
    within limit: Duration,
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask { try await body() }
      group.addTask {
        try await Task.sleep(for: limit)
        return nil
      }
      defer { group.cancelAll() }
      guard let first = try await group.next(), let value = first else {
        throw JobFailure.temporary("it took longer than \(limit)")
      }
      return value
    }
  }
}
