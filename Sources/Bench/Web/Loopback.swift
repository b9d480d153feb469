internal import Glibc

/// TCP on this machine.
enum Loopback {
  /// Returns a port that no process uses.
  static func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in(port: 0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    guard address.withPointer({ bind(descriptor, $0, size) }) == 0,
      withUnsafeMutablePointer(
        to: &address,
        { pointer in
          pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
      ) == 0
    else { throw Tool.Failure(description: "no free port") }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  /// Opens a connection from an address of the network 127.0.0.0/8.
  ///
  /// - Parameter host: the last number of the source address, 1 to 254.
  static func connect(port: Int, from host: Int = 1) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Tool.Failure(description: "no more descriptors: raise `ulimit -n`") }
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    var source = sockaddr_in(port: 0, host: host)
    var target = sockaddr_in(port: port)
    guard source.withPointer({ bind(descriptor, $0, size) }) == 0,
      target.withPointer({ Glibc.connect(descriptor, $0, size) }) == 0
    else {
      close(descriptor)
      throw Tool.Failure(description: "no connection to port \(port) from 127.0.0.\(host): errno \(errno)")
    }
    return descriptor
  }

  /// Closes a connection.
  static func end(_ descriptor: Int32) { close(descriptor) }

  /// Sends a request on a connection and reads the first part of the answer.
  ///
  /// - Parameter headers: header fields in addition to `Host`.
  /// - Returns: the status; 0 if the connection was closed.
  static func ask(_ descriptor: Int32, _ path: String, headers: [String] = []) -> Int {
    let fields = (["Host: localhost"] + headers).map { "\($0)\r\n" }.joined()
    let request = "GET \(path) HTTP/1.1\r\n\(fields)\r\n"
    guard request.withCString({ send(descriptor, $0, strlen($0), Int32(MSG_NOSIGNAL)) }) > 0 else {
      return 0
    }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count > 12 else { return 0 }
    return Int(String(decoding: buffer[9..<12], as: UTF8.self)) ?? 0
  }
}

extension sockaddr_in {
  fileprivate init(port: Int, host: Int = 1) {
    self.init()
    sin_family = sa_family_t(AF_INET)
    sin_port = in_port_t(port).bigEndian
    sin_addr.s_addr = (UInt32(127) << 24 | UInt32(host)).bigEndian
  }

  fileprivate mutating func withPointer<T>(_ body: (UnsafePointer<sockaddr>) -> T) -> T {
    withUnsafePointer(to: &self) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
    }
  }
}
