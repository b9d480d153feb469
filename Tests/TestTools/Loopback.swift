internal import Glibc

/// TCP on 127.0.0.1. Programs that tests start do not inherit the sockets.
package enum Loopback {
  /// A socket that could not be opened.
  package struct Failure: Error {
    /// What was attempted.
    package let attempt: String
    /// The value of `errno`.
    package let code: Int32
  }

  /// Returns a port that no process uses.
  package static func freePort() throws -> Int {
    let (descriptor, port) = try bound()
    close(descriptor)
    return port
  }

  /// Returns a socket that listens on a free port.
  static func listener() throws -> (descriptor: Int32, port: Int) {
    let (descriptor, port) = try bound()
    guard listen(descriptor, 16) == 0 else { throw failure("listen on port \(port)", descriptor) }
    return (descriptor, port)
  }

  /// Returns a connection to a port.
  ///
  /// - Parameter host: the last number of the client's address, 127.0.0.1 to 127.0.0.254.
  static func connection(to port: Int, from host: UInt8 = 1) throws -> Int32 {
    let descriptor = open()
    if host != 1 {
      guard withAddress(0, host: host, { bind(descriptor, $0, $1.pointee) }) == 0 else {
        throw failure("bind to 127.0.0.\(host)", descriptor)
      }
    }
    guard withAddress(port, { connect(descriptor, $0, $1.pointee) }) == 0 else {
      throw failure("connect to port \(port)", descriptor)
    }
    return descriptor
  }

  private static func open() -> Int32 {
    socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  }

  private static func bound() throws -> (descriptor: Int32, port: Int) {
    let descriptor = open()
    var port = 0
    let status = withAddress(0) { address, size in
      guard bind(descriptor, address, size.pointee) == 0 else { return -1 }
      defer {
        port = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
          Int(UInt16(bigEndian: $0.pointee.sin_port))
        }
      }
      return getsockname(descriptor, address, size)
    }
    guard status == 0 else { throw failure("bind to a free port", descriptor) }
    return (descriptor, port)
  }

  private static func withAddress(
    _ port: Int,
    host: UInt8 = 1,
    _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = (UInt32(0x7F00_0000) + UInt32(host)).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &size) }
    }
  }

  private static func failure(_ attempt: String, _ descriptor: Int32) -> Failure {
    let failure = Failure(attempt: attempt, code: errno)
    close(descriptor)
    return failure
  }
}
