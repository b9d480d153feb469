internal import Glibc

/// A keep-alive HTTP/1.1 connection to a server on this machine. Calls block the thread; see ``Load``.
final class Connection {
  struct Answer {
    let status: Int
    /// The header fields with names in lower case.
    let headers: [String: String]
    var body: [UInt8] = []

    var text: String { String(decoding: body, as: UTF8.self) }
  }

  let descriptor: Int32
  private let fields: String
  private var buffer: [UInt8] = []

  /// Connects to a port of 127.0.0.1, to send requests with header fields such as `Authorization: Bearer …`.
  ///
  /// - Parameter host: the last number of the source address, 1 to 254: one address has only 28,000 ports.
  init(port: Int, from host: Int = 1, headers: [String] = []) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Failure("no more descriptors: raise `ulimit -n`") }
    fields = (["Host: 127.0.0.1:\(port)"] + headers).map { "\($0)\r\n" }.joined()
    var one: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    var timeout = timeval(tv_sec: 120, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    var (source, target) = (sockaddr_in(port: 0, host: host), sockaddr_in(port: port))
    guard source.with({ bind(descriptor, $0, $1) }) == 0, target.with({ connect(descriptor, $0, $1) }) == 0
    else {
      throw Failure("no connection to port \(port) from 127.0.0.\(host): errno \(errno)")
    }
  }

  deinit { close(descriptor) }

  static func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in(port: 0)
    guard address.with({ bind(descriptor, $0, $1) }) == 0,
      address.with({ pointer, size in
        var size = size
        return getsockname(descriptor, pointer, &size)
      }) == 0
    else { throw Failure("no free port") }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  /// Waits until a server answers with 200, at most 30 seconds.
  static func awaitReady(_ process: ChildProcess, port: Int, _ path: String) async throws {
    for _ in 0..<1_500 where process.isRunning {
      // Refused until the server listens.
      if (try? Connection(port: port).send("GET", path).status) == 200 { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw Failure("the server is not ready:\n\(process.output)")
  }

  /// Sends a request and reads its answer. Waits two minutes for each part.
  func send(_ method: String, _ path: String, _ body: [UInt8]? = nil) throws -> Answer {
    var answer = try begin(method, path, body)
    if answer.headers["transfer-encoding"]?.contains("chunked") == true {
      while let size = Int(try line().prefix(while: \.isHexDigit), radix: 16), size > 0 {
        answer.body += try take(size + 2).dropLast(2)
      }
      _ = try line()
      return answer
    }
    let length = answer.headers["content-length"].flatMap { Int($0) } ?? 0
    answer.body = try take([204, 304].contains(answer.status) ? 0 : length)
    return answer
  }

  func require(_ method: String, _ path: String, _ body: [UInt8]? = nil) throws -> Answer {
    let answer = try send(method, path, body)
    guard answer.status < 400 else {
      throw Failure("\(method) \(path) was answered with \(answer.status): \(answer.text.prefix(500))")
    }
    return answer
  }

  /// Sends a request and reads the head of its answer, such as that of a stream.
  func begin(_ method: String, _ path: String, _ body: [UInt8]? = nil) throws -> Answer {
    var head = "\(method) \(path) HTTP/1.1\r\n\(fields)"
    if let body { head += "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n" }
    let bytes = Array((head + "\r\n").utf8) + (body ?? [])
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { raw in
        Glibc.send(descriptor, raw.baseAddress, raw.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Failure("the server closed the connection") }
      sent += count
    }
    let status = Int(try line().dropFirst(9).prefix(3)) ?? 0
    var headers: [String: String] = [:]
    while let field = Optional(try line().split(separator: ":", maxSplits: 1)), field.count == 2 {
      headers[field[0].lowercased()] = String(field[1].drop { $0 == " " })
    }
    return Answer(status: status, headers: headers)
  }

  func drain() {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    while recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT)) > 0 {}
    buffer = []
  }

  private func line() throws -> String {
    var known = 0
    while true {
      if let end = buffer[known...].firstIndex(of: 10) {
        return String(decoding: try take(end + 1).dropLast(2), as: UTF8.self)
      }
      known = buffer.count
      try receive()
    }
  }

  private func take(_ count: Int) throws -> [UInt8] {
    while buffer.count < count { try receive() }
    defer { buffer.removeFirst(count) }
    return Array(buffer[..<count])
  }

  private func receive() throws {
    try withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { chunk in
      let count = recv(descriptor, chunk.baseAddress, chunk.count, 0)
      guard count > 0 else { throw Failure("the server closed the connection, or did not answer in time") }
      buffer += chunk[..<count]
    }
  }
}

extension sockaddr_in {
  fileprivate init(port: Int, host: Int = 1) {
    self.init()
    sin_family = sa_family_t(AF_INET)
    sin_port = in_port_t(port).bigEndian
    sin_addr.s_addr = (UInt32(127) << 24 | UInt32(host)).bigEndian
  }

  fileprivate mutating func with<T>(_ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> T) -> T {
    withUnsafeMutablePointer(to: &self) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<Self>.size))
      }
    }
  }
}
