/// Repeats an attempt until it returns a value; returns nil if the time limit expires first.
///
/// For events that the system does not notify of, such as the end of another process.
///
/// - Parameters:
///   - limit: the maximum time; at least one attempt is made.
///   - pause: the time between two attempts.
/// - Throws: the error of an attempt, or `CancellationError`.
func poll<Value>(
  for limit: Duration,
  every pause: Duration = .milliseconds(10),
  _ attempt: () throws -> Value?
) async throws -> Value? {
  let deadline = ContinuousClock.now + limit
  while true {
    if let value = try attempt() { return value }
    guard ContinuousClock.now < deadline else { return nil }
    try await Task.sleep(for: pause)
  }
}
