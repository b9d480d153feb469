import Glibc
import Testing

/// A TCP client of this machine that sends bytes as they are and never blocks.
final class RawClient {
  private let descriptor: Int32
  /// The bytes received so far, as text.
  private(set) var received = ""

  init(_ port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    try #require(isConnected, "nobody answers at port \(port)")
  }

  deinit { close(descriptor) }

  /// Sends a text, as far as the connection takes it.
  ///
  /// - Returns: false if the server has closed the connection.
  @discardableResult
  func send(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) < 0 else {
      return true
    }
    return errno == EAGAIN
  }

  /// Reads what has arrived.
  ///
  /// - Returns: true if the server has closed the connection.
  func isClosed() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      guard count > 0 else { return count == 0 || errno != EAGAIN }
      received += String(decoding: buffer[..<count], as: UTF8.self)
    }
  }
}
