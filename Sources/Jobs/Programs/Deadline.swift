/// Runs a program's job for at most a given time.
enum Deadline {
  /// Runs the body and returns its value. When the time is over, the body is cancelled and awaited.
  ///
  /// - Throws: ``JobFailure/temporary(_:after:)`` when the time is over, or the error of the body.
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
        throw JobFailure.temporary("the program took longer than \(limit)")
      }
      return value
    }
  }
}
