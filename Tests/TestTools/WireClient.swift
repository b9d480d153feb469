internal import Glibc

/// A TCP client of 127.0.0.1 that sends bytes as they are and never blocks.
package final class WireClient {
  private let descriptor: Int32
  /// The bytes received so far.
  package private(set) var bytes: [UInt8] = []
  /// The same as text.
  package var received: String { String(decoding: bytes, as: UTF8.self) }

  package init(_ port: Int) throws { descriptor = try Loopback.connection(to: port) }

  deinit { close(descriptor) }

  /// Sends a text, as far as the connection takes it.
  ///
  /// - Returns: false if the server has closed the connection.
  @discardableResult
  package func send(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) < 0 else {
      return true
    }
    return errno == EAGAIN
  }

  /// Reads what has arrived.
  ///
  /// - Returns: true if the server has closed the connection.
  @discardableResult
  package func isClosed() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      guard count > 0 else { return count == 0 || errno != EAGAIN }
      bytes += buffer[..<count]
    }
  }
}
