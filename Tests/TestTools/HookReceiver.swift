internal import Synchronization

/// A small HTTP server on 127.0.0.1 with a thread of its own, for tests of webhooks and of other requests to
/// foreign servers.
///
/// One connection at a time: others wait.
package final class HookReceiver: Sendable {
  /// The answer to a request.
  package enum Answer: Sendable {
    /// A status without body.
    case status(Int)
    /// A status with a body.
    case text(Int, String)
    /// A status with Retry-After in seconds.
    case later(Int, seconds: Int)
    /// These bytes, whether they are HTTP or not.
    case raw(String)
    /// A head and an endless body, until the client disconnects.
    case endless
    /// No response until the client disconnects.
    case silence
  }

  /// A received request.
  package struct Request: Sendable {
    /// The first line, such as `POST /hook HTTP/1.1`.
    package let line: String
    /// The fields by name in lower case.
    package let headers: [String: String]
    package let body: [UInt8]
  }

  private let server: LoopbackServer
  private let book: Book

  /// The requests so far.
  package var requests: [Request] { book.requests.withLock { $0 } }

  package var port: Int { server.port }

  /// The URL to post to.
  package var url: String { "http://127.0.0.1:\(port)/hook" }

  /// - Parameters:
  ///   - answers: one per request, in this order.
  ///   - further: the answer to all further requests.
  package init(_ answers: Answer..., further: Answer = .status(204)) throws {
    let book = Book(answers)
    self.book = book
    server = try LoopbackServer { client in
      guard let request = Self.read(from: client) else { return }
      let answer = book.answers.withLock { $0.isEmpty ? further : $0.removeFirst() }
      book.requests.withLock { $0.append(request) }
      Self.reply(answer, to: client)
    }
  }

  /// Ends the server's thread after the current client has disconnected.
  package func stop() { server.stop() }

  /// The answers that are left, and the requests so far.
  private final class Book: Sendable {
    let answers: Mutex<[Answer]>
    let requests = Mutex<[Request]>([])

    init(_ answers: [Answer]) { self.answers = Mutex(answers) }
  }

  private static func reply(_ answer: Answer, to client: LoopbackConnection) {
    switch answer {
    case .status(let status): client.send(response(status))
    case .text(let status, let text): client.send(response(status, text))
    case .later(let status, let seconds): client.send(response(status, fields: "Retry-After: \(seconds)\r\n"))
    case .raw(let text): client.send(text)
    case .silence: _ = client.receive()
    case .endless:
      client.send("HTTP/1.1 200 OK\r\n\r\n")
      while client.send(String(repeating: "x", count: 8192)) {}
    }
  }

  private static func response(_ status: Int, _ text: String = "", fields: String = "") -> String {
    "HTTP/1.1 \(status) Said\r\nContent-Length: \(text.utf8.count)\r\nConnection: close\r\n\(fields)\r\n\(text)"
  }

  /// Reads a request; nil if the client has disconnected.
  package static func read(from client: LoopbackConnection) -> Request? {
    var bytes: [UInt8] = []
    while true {
      if let head = HTTPHead(bytes) {
        let body = Array(bytes[head.end...])
        if body.count >= head.length ?? 0 {
          return Request(line: head.line, headers: head.fields, body: body)
        }
      }
      guard let more = client.receive() else { return nil }
      bytes += more
    }
  }
}
