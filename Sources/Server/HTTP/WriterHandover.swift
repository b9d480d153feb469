internal import Hummingbird
internal import HummingbirdCore

/// Passes the writer of a response from the task of its connection to the task of its request.
final class WriterHandover: Sendable {
  // `nonisolated(unsafe)`: the library does not declare its writer sendable, although it holds only a sendable stream.
  // The task of the connection waits for that of the request, which alone uses the writer.
  private nonisolated(unsafe) var writer: ResponseWriter?

  init(_ writer: consuming ResponseWriter) { self.writer = consume writer }

  /// Returns the writer; call it once.
  func take() -> ResponseWriter {
    guard let writer = writer.take() else { preconditionFailure("the writer of a response was taken twice") }
    return writer
  }
}
