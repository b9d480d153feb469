/// Polls until a condition holds, for changes made by other tasks or processes.
///
/// - Throws: ``NeverHeld`` after a time limit that a passing test never reaches.
package func until(
  within limit: Duration = .seconds(600),
  fileID: String = #fileID,
  line: Int = #line,
  _ holds: () async throws -> Bool
) async throws {
  let deadline = ContinuousClock.now + limit
  while try await !holds() {
    guard ContinuousClock.now < deadline else { throw NeverHeld(place: "\(fileID):\(line)") }
    try await Task.sleep(for: .milliseconds(10))
  }
}

/// A condition that did not become true in time.
package struct NeverHeld: Error {
  /// The location of the wait.
  package let place: String
}
