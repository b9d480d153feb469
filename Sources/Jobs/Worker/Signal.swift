/// Wakes one waiting loop. Several signals given before the loop waits wake it once.
final class Signal: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Wakes the loop. Has no effect after ``finish()``.
  func give() { continuation.yield() }

  /// Ends the loop permanently, after a signal that was already given.
  func finish() { continuation.finish() }

  /// The signals. The sequence ends when the signal is finished or the task is cancelled.
  var given: AsyncStream<Void> { stream }
}
