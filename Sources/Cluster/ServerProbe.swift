internal import Glibc

/// Checks whether a server on a Unix socket accepts connections, like `pg_isready` but in this process.
///
/// Sends the startup message of PostgreSQL's protocol 3.0 and reads until the server is ready or refuses the
/// connection; waits at most two seconds for each message.
struct ServerProbe {
  /// The result of a probe.
  enum Answer: Equatable {
    /// The server accepts connections, or refuses this one for a reason other than its own state.
    case ready
    /// The server is starting up, recovering or shutting down.
    case busy
    /// No process listens on the socket, or the server closed the connection without a message.
    case absent
    /// No response in time, or the socket cannot be used, for example without permission.
    case silent
  }

  let socket: String

  func ask() -> Answer {
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return .silent }
    defer { close(descriptor) }
    // Limits the wait, because the kernel accepts connections even for a server stopped by SIGSTOP.
    var timeout = timeval(tv_sec: 2, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    guard connect(descriptor) else {
      return errno == ENOENT || errno == ECONNREFUSED ? .absent : .silent
    }
    let hello = Self.startup
    guard send(descriptor, hello, hello.count, Int32(MSG_NOSIGNAL)) == hello.count else {
      return .absent
    }
    return readAnswer(descriptor)
  }

  private func connect(_ descriptor: Int32) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = Array(socket.utf8)
    let fits = withUnsafeMutableBytes(of: &address.sun_path) { room in
      guard path.count < room.count else { return false }
      room.copyBytes(from: path)
      return true
    }
    guard fits else {
      errno = ENAMETOOLONG
      return false
    }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        Glibc.connect(descriptor, generic, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }

  private func readAnswer(_ descriptor: Int32) -> Answer {
    var received: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      if count < 0, errno == EINTR { continue }
      if count < 0 { return .silent }
      // The server closes connections without a message while it shuts down.
      if count == 0 { return .absent }
      received += chunk[..<count]
      if let answer = Self.answer(in: received) {
        // A Terminate message avoids "unexpected EOF" in the server's log.
        let terminate: [UInt8] = [UInt8(ascii: "X"), 0, 0, 0, 4]
        send(descriptor, terminate, terminate.count, Int32(MSG_NOSIGNAL))
        return answer
      }
    }
  }

  /// Returns the result that the messages received so far imply; nil if more messages are needed.
  static func answer(in bytes: [UInt8]) -> Answer? {
    var position = 0
    while position + 5 <= bytes.count {
      let length = bytes[(position + 1)...(position + 4)].reduce(0) { $0 << 8 | Int($1) }
      let end = position + 1 + length
      guard length >= 4, end <= bytes.count else { return nil }
      switch bytes[position] {
      case UInt8(ascii: "Z"):
        return .ready
      case UInt8(ascii: "E"):
        // 57P03 (cannot_connect_now) means busy. Other errors, such as a missing role, come from a ready
        // server.
        let fields = bytes[(position + 5)..<end].split(separator: 0)
        let cannotConnectNow = Array("C57P03".utf8)
        return fields.contains { $0.elementsEqual(cannotConnectNow) } ? .busy : .ready
      default:
        position = end
      }
    }
    return nil
  }

  private static let startup: [UInt8] = {
    let body: [UInt8] =
      [0, 3, 0, 0] + Array("user\0postgres\0database\0postgres\0application_name\0fettle probe\0\0".utf8)
    let length = UInt8(body.count + 4)
    return [0, 0, 0, length] + body
  }()
}
