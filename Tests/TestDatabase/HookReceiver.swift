internal import Glibc
internal import Synchronization

/// A small HTTP server on 127.0.0.1 with a thread of its own, for tests of webhooks.
///
/// One connection at a time: another one waits.
package final class HookReceiver: Sendable {
  /// The answer to a request.
  package enum Answer: Sendable {
    /// A status without body.
    case status(Int)
    /// A status with a body.
    case text(Int, String)
    /// A status with Retry-After in seconds.
    case later(Int, seconds: Int)
    /// No response until the client disconnects.
    case silence
  }

  /// A received request.
  package struct Request: Sendable {
    package let headers: [String: String]
    package let body: [UInt8]
  }

  private let listener: Int32
  private let port: UInt16
  private let answers: Mutex<[Answer]>
  private let seen = Mutex<[Request]>([])

  /// The requests so far.
  package var requests: [Request] { seen.withLock { $0 } }

  /// The URL to post to.
  package var url: String { "http://127.0.0.1:\(port)/hook" }

  /// - Parameter answers: one per request, in this order; 204 for all further requests.
  package init(_ answers: Answer...) {
    self.answers = Mutex(answers)
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    self.listener = listener
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    port = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        precondition(bind(listener, pointer, length) == 0 && listen(listener, 16) == 0)
        precondition(getsockname(listener, pointer, &length) == 0)
      }
      return UInt16(bigEndian: pointer.pointee.sin_port)
    }
    var thread = pthread_t()
    pthread_create(
      &thread,
      nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<HookReceiver>.fromOpaque(argument).takeRetainedValue().serve()
        return nil
      },
      Unmanaged.passRetained(self).toOpaque()
    )
    pthread_detach(thread)
  }

  /// Ends the server's thread after the current client has disconnected.
  package func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func serve() {
    while true {
      let client = accept(listener, nil, nil)
      guard client >= 0 else { break }
      // A process started meanwhile by a test must not inherit the connection.
      _ = fcntl(client, F_SETFD, FD_CLOEXEC)
      if let request = read(from: client) {
        let answer = answers.withLock { $0.isEmpty ? .status(204) : $0.removeFirst() }
        seen.withLock { $0.append(request) }
        switch answer {
        case .status(let status): reply(status, "", to: client)
        case .text(let status, let text): reply(status, text, to: client)
        case .later(let status, let seconds): reply(status, "", "Retry-After: \(seconds)\r\n", to: client)
        case .silence: _ = receive(from: client)
        }
      }
      close(client)
    }
    close(listener)
  }

  private func reply(_ status: Int, _ text: String, _ header: String = "", to client: Int32) {
    let head = "HTTP/1.1 \(status) Said\r\nContent-Length: \(text.utf8.count)\r\nConnection: close\r\n"
    let bytes = Array((head + header + "\r\n" + text).utf8)
    _ = send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  private func read(from client: Int32) -> Request? {
    var bytes: [UInt8] = []
    let separator = Array("\r\n\r\n".utf8)
    while true {
      if let end = bytes.indices.first(where: { bytes[$0...].starts(with: separator) }) {
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n").dropFirst()
        let pairs = lines.map { $0.split(separator: ":", maxSplits: 1) }.filter { $0.count == 2 }
        let headers = Dictionary(
          pairs.map { ($0[0].lowercased(), String($0[1].drop { $0 == " " })) },
          uniquingKeysWith: { $1 }
        )
        let body = Array(bytes[(end + separator.count)...])
        if body.count >= Int(headers["content-length"] ?? "") ?? 0 {
          return Request(headers: headers, body: body)
        }
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
}
