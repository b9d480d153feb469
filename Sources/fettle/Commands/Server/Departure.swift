internal import Synchronization

/// The time in which a stopping server still takes requests, while it is not ready any more: a proxy that asks for the
/// readiness learns that it has to take another server before this one refuses its connections.
final class Departure: Sendable {
  private let delay: Duration
  private let begun = Atomic(false)

  init(_ delay: Duration) {
    self.delay = delay
  }

  /// True once the process is stopping.
  var hasBegun: Bool { begun.load(ordering: .relaxed) }

  /// Begins the departure, and returns at its end.
  ///
  /// - Throws: `CancellationError`.
  func wait() async throws {
    begun.store(true, ordering: .relaxed)
    try await Task.sleep(for: delay)
  }
}
