/// Asks again every few milliseconds until there is an answer, or returns nil when the time is over.
///
/// Used for what the system offers no notification of: another process's lock, socket or end.
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
