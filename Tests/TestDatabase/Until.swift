internal import Foundation

/// Polls until a condition holds, for changes made by other tasks or processes.
///
/// - Throws: ``NeverHeld`` after a time limit that a passing test never reaches: by default ten minutes, or the
///   seconds of `FETTLE_TEST_PATIENCE`, with which deploy/mutate waits less for what a broken rule prevents.
package func until(
  within limit: Duration = WaitLimit.limit,
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

/// The time limit of waits in tests.
package enum WaitLimit {
  package static let limit = Duration.seconds(
    ProcessInfo.processInfo.environment["FETTLE_TEST_PATIENCE"].flatMap(Int64.init) ?? 600
  )
}
