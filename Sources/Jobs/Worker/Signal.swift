/// Wakes one who waits; given several times before that it wakes once.
final class Signal: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func give() { continuation.yield() }

  /// Ends the waiting for good.
  func finish() { continuation.finish() }

  /// Ends when the signal is finished or the task is cancelled.
  var given: AsyncStream<Void> { stream }
}
