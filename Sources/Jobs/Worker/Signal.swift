/// Wakes one waiting loop. Signals given before it waits are merged into one.
final class Signal: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func give() { continuation.yield() }

  /// Ends the loop permanently.
  func finish() { continuation.finish() }

  /// The signals. The sequence ends when the signal is finished or the task is cancelled.
  var given: AsyncStream<Void> { stream }
}
