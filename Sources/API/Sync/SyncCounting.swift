package import Engine

/// Counts what devices send and ask for, for metrics.
package struct SyncCounting: Sendable {
  /// Called with the answer to each push.
  package var pushed: @Sendable (PushAnswer) -> Void = { _ in }
  /// Called for each page of changes.
  package var pulled: @Sendable () -> Void = {}

  /// Counts nothing.
  package init() {}
}
