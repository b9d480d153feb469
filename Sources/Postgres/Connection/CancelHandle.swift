internal import CLibPQ

/// A handle that cancels the current statement of a connection, from any thread.
final class CancelHandle: Sendable {
  // `nonisolated(unsafe)`: libpq documents PQcancel as safe on any thread at any time, and the object does
  // not change between PQgetCancel and PQfreeCancel.
  private nonisolated(unsafe) let raw: OpaquePointer

  init?(connection: OpaquePointer) {
    guard let raw = PQgetCancel(connection) else { return nil }
    self.raw = raw
  }

  deinit {
    PQfreeCancel(raw)
  }

  /// Sends a cancel request; blocks until the server has accepted it. Errors are ignored.
  func cancel() {
    var reason = [CChar](repeating: 0, count: 256)
    // A rejected request changes nothing: the statement continues, and the caller may send another request.
    _ = PQcancel(raw, &reason, Int32(reason.count))
  }
}
