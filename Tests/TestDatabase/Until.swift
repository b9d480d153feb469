/// Waits until something holds, asking again and again; for what happens on its own in other tasks or
/// processes.
///
/// - Throws: ``NeverHeld`` when the time is over, which no test that passes comes near.
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

/// What a test waited for did not come.
package struct NeverHeld: Error {
  /// Where it waited.
  package let place: String
}
