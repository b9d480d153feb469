internal import Glibc

/// Asks a server on a Unix socket whether it takes connections, as `pg_isready` does, without a process for it.
///
/// Speaks the first message of PostgreSQL's protocol, version 3.0, and reads until the server is ready or refuses.
struct ServerProbe {
  /// What came back.
  enum Answer: Equatable {
    /// Connections are taken.
    case ready
    /// Somebody is there and says: starting up, recovering or shutting down.
    case busy
    /// Nobody listens.
    case absent
    /// Somebody listens who did not answer in time, or we may not ask.
    case silent
  }

  let socket: String

  func ask() -> Answer {
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return .silent }
    defer { close(descriptor) }
    // A stopped (SIGSTOP) server still has its connections accepted by the system; do not wait for ever.
    var patience = timeval(tv_sec: 2, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
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
    guard fits else { return false }
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
      // Closed without a word: the server is just going.
      if count == 0 { return .absent }
      received += chunk[..<count]
      if let answer = Self.answer(in: received) {
        // A polite end keeps "unexpected EOF" out of the server's log.
        let terminate: [UInt8] = [UInt8(ascii: "X"), 0, 0, 0, 4]
        send(descriptor, terminate, terminate.count, Int32(MSG_NOSIGNAL))
        return answer
      }
    }
  }

  /// The verdict in the messages so far, or nil while more are to come.
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
        // Any other refusal (no such role, too many clients) comes from a server that is up.
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
