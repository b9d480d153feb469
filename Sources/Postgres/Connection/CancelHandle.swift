internal import CLibPQ

/// The right to interrupt what a connection is doing, from any thread.
final class CancelHandle: Sendable {
  // `nonisolated(unsafe)` because libpq documents PQcancel as safe to call from any thread at any time, and
  // the object is never changed between PQgetCancel and PQfreeCancel.
  private nonisolated(unsafe) let raw: OpaquePointer

  init?(connection: OpaquePointer) {
    guard let raw = PQgetCancel(connection) else { return nil }
    self.raw = raw
  }

  deinit {
    PQfreeCancel(raw)
  }

  /// Asks the server to interrupt; blocks until the request has been taken.
  func cancel() {
    var reason = [CChar](repeating: 0, count: 256)
    // A refused request changes nothing: the statement goes on, and whoever wants it ended asks again.
    _ = PQcancel(raw, &reason, Int32(reason.count))
  }
}
