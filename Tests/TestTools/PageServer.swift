internal import Synchronization

/// A server of pages on 127.0.0.1, for tests of a browser.
package final class PageServer: Sendable {
  /// A page, or another answer.
  package struct Page: Sendable {
    let status: Int
    let fields: [String: String]
    let html: String

    /// - Parameter fields: further fields, such as a policy.
    package init(_ html: String, status: Int = 200, fields: [String: String] = [:]) {
      self.html = html
      self.status = status
      self.fields = fields
    }
  }

  private let server: LoopbackServer
  private let received: Received

  /// The requests so far, without those for an icon.
  package var requests: [HookReceiver.Request] { received.requests.withLock { $0 } }

  package var port: Int { server.port }

  /// The address of the pages, without a slash at the end.
  package var base: String { "http://127.0.0.1:\(port)" }

  /// - Parameter answer: makes the answer to a request from its method and its path with its query; nil is a 404.
  package init(_ answer: @escaping @Sendable (_ method: String, _ path: String) -> Page?) throws {
    let received = Received()
    self.received = received
    server = try LoopbackServer(concurrent: true) { client in
      guard let request = HookReceiver.read(from: client) else { return }
      let words = request.line.split(separator: " ").map(String.init)
      guard words.count == 3 else { return }
      // Browsers ask for it on their own.
      if words[1] != "/favicon.ico" { received.requests.withLock { $0.append(request) } }
      let page = answer(words[0], words[1]) ?? Page("<h1>Not found</h1>", status: 404)
      let fields = page.fields.map { "\($0): \($1)\r\n" }.joined()
      client.send(
        "HTTP/1.1 \(page.status) Said\r\nContent-Type: text/html; charset=utf-8\r\n\(fields)"
          + "Content-Length: \(page.html.utf8.count)\r\nConnection: close\r\n\r\n\(page.html)"
      )
    }
  }

  /// Ends the server.
  package func stop() { server.stop() }

  private final class Received: Sendable {
    let requests = Mutex<[HookReceiver.Request]>([])
  }
}
