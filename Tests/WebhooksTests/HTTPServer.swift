import Glibc
import Synchronization

/// A small HTTP server on 127.0.0.1 with a thread of its own; answers every request with the same bytes and
/// records the requests.
final class HTTPServer: Sendable {
  /// The server's behaviour after reading a request.
  enum Behavior: Sendable {
    /// Sends these bytes.
    case answer(String)
    /// Sends the head of a response and an endless body until the client disconnects.
    case endless
    /// Reads and sends nothing until the client disconnects.
    case silent
  }

  /// A request.
  struct Request: Sendable {
    var line = ""
    var headers: [String: String] = [:]
    var body: [UInt8] = []
  }

  let port: UInt16
  private let listener: Int32
  private let behavior: Behavior
  private let seen = Mutex<[Request]>([])

  /// The requests so far.
  var requests: [Request] { seen.withLock { $0 } }

  var url: String { "http://127.0.0.1:\(port)/hook" }

  init(_ behavior: Behavior) {
    self.behavior = behavior
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    port = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        precondition(bind(listener, pointer, length) == 0 && listen(listener, 16) == 0)
        precondition(getsockname(listener, pointer, &length) == 0)
      }
      return UInt16(bigEndian: pointer.pointee.sin_port)
    }
    let retained = Unmanaged.passRetained(self)
    var thread = pthread_t()
    pthread_create(
      &thread,
      nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<HTTPServer>.fromOpaque(argument).takeRetainedValue().serve()
        return nil
      },
      retained.toOpaque()
    )
    pthread_detach(thread)
  }

  /// Ends the server's thread.
  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func serve() {
    while true {
      let client = accept(listener, nil, nil)
      guard client >= 0 else { break }
      if let request = read(from: client) {
        seen.withLock { $0.append(request) }
        reply(to: client)
      }
      close(client)
    }
    close(listener)
  }

  private func reply(to client: Int32) {
    switch behavior {
    case .answer(let text): _ = send(text, to: client)
    case .silent: _ = receive(from: client)
    case .endless:
      _ = send("HTTP/1.1 200 OK\r\n\r\n", to: client)
      while send(String(repeating: "x", count: 8192), to: client) {}
    }
  }

  private func read(from client: Int32) -> Request? {
    var bytes: [UInt8] = []
    let separator = Array("\r\n\r\n".utf8)
    while true {
      let end = bytes.indices.first { bytes[$0...].starts(with: separator) }
      if let end {
        let head = String(decoding: bytes[..<end], as: UTF8.self)
        var request = Request()
        for (index, line) in head.split(separator: "\r\n").enumerated() {
          guard index > 0 else {
            request.line = String(line)
            continue
          }
          let parts = line.split(separator: ":", maxSplits: 1)
          request.headers[parts[0].lowercased()] = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
        }
        request.body = Array(bytes[(end + separator.count)...])
        let length = request.headers["content-length"].flatMap { Int($0) } ?? 0
        if request.body.count >= length { return request }
      }
      guard let more = receive(from: client) else { return nil }
      bytes += more
    }
  }

  private func receive(from client: Int32) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(client, &buffer, buffer.count, 0)
    return count > 0 ? Array(buffer[..<count]) : nil
  }

  private func send(_ text: String, to client: Int32) -> Bool {
    let bytes = Array(text.utf8)
    return Glibc.send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }
}
