import API
import Domain
import Engine
import FoundationEssentials
import Logging
import ServiceLifecycle
import Synchronization
import TestDatabase
import TestTools
import Testing

@testable import Server

/// A server on a free port, with a few routes.
struct TestServer {
  /// What the handlers have seen.
  final class Seen: Sendable {
    let requests = Mutex<[APIRequest]>([])
    let isHeld = Mutex(false)
    let cancelled = Mutex(0)
    let events = TestEvents()
    let parts = BlockingParts()

    /// The first request.
    var first: APIRequest? { requests.withLock { $0.first } }
    /// True while a handler waits for ``release()``.
    var holds: Bool { isHeld.withLock { $0 } }
    /// The number of handlers that were cancelled.
    var cancellations: Int { cancelled.withLock { $0 } }

    /// Lets the waiting handler answer.
    func release() { isHeld.withLock { $0 = false } }
  }

  let port: Int
  let seen: Seen

  /// Limits that no test reaches, to change one of them.
  static var wide: HTTPLimits {
    let hour = Duration.seconds(3_600)
    return HTTPLimits(
      headTime: hour,
      bodyTime: hour,
      idleTime: hour,
      lingerTime: hour,
      handlerTime: hour,
      drainTime: hour,
      connectionsPerNetwork: 1_000
    )
  }

  /// Runs a server during a body.
  ///
  /// - Parameter stop: called with the trigger of graceful shutdown, beside the body.
  static func run(
    on address: String = "0",
    takesAnotherPort: Bool = false,
    limits: HTTPLimits = wide,
    publicOrigin: String? = nil,
    trusted: [String] = [],
    allowed: [String] = [],
    isReady: Bool = true,
    _ body: (TestServer, ServiceGroup) async throws -> Void
  ) async throws {
    let seen = Seen()
    let port = Mutex(0)
    let address = try #require(ListenAddress(address))
    let quiet = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
    let server = HTTPServer(
      API(routes: routes(seen), gate: NoGate()),
      HTTPConfiguration(
        address,
        takesAnotherPort: takesAnotherPort,
        publicOrigin: try publicOrigin.map { try #require(PublicOrigin($0)) },
        trustedProxies: try trusted.map { try #require(Network($0)) },
        allowedOrigins: allowed,
        limits: limits
      ),
      isReady: { isReady },
      logger: quiet,
      accessLogger: quiet,
      onListening: { opened in port.withLock { $0 = opened } }
    )
    let group = ServiceGroup(configuration: .init(services: [.init(service: server)], logger: quiet))
    let running = Task { try await group.run() }
    defer { running.cancel() }
    let ended = Mutex(false)
    let watched = Task {
      defer { ended.withLock { $0 = true } }
      try await running.value
    }
    try await until { port.withLock(\.self) > 0 || ended.withLock(\.self) }
    if ended.withLock(\.self) { try await watched.value }
    try await body(TestServer(port: port.withLock(\.self), seen: seen), group)
    running.cancel()
    try? await running.value  // cancelled
  }

  private struct NoGate: CallerGate {
    func caller(of request: APIRequest) async throws -> Caller? { nil }
  }

  private static func routes(_ seen: Seen) -> [Route] {
    func operation(_ id: String) -> Operation {
      Operation(id, tag: "test", "Test", hasOpenQuery: id == "/items/{item}", answers: [])
    }
    func route(
      _ method: APIMethod,
      _ pattern: String,
      body: BodyKind = .none,
      isEventStream: Bool = false,
      _ answer: @escaping APIHandler
    ) -> Route {
      Route(
        method,
        pattern,
        operation(pattern),
        admission: .everybody,
        body: body,
        isEventStream: isEventStream
      ) {
        request in
        seen.requests.withLock { $0.append(request) }
        return try await answer(request)
      }
    }
    return [
      route(.get, "/small") { _ in .json(["name": "small"]) },
      route(.get, "/large") { _ in .json(["text": .string(String(repeating: "fettle ", count: 1_000))]) },
      route(.get, "/cookie") { _ in
        var answer = APIAnswer.json(["text": .string(String(repeating: "fettle ", count: 1_000))])
        answer.headers["set-cookie"] = "a=b"
        return answer
      },
      route(.get, "/bytes") { _ in
        APIAnswer(
          headers: ["content-type": "application/octet-stream"],
          body: .bytes([UInt8](repeating: 97, count: 1 << 24))
        )
      },
      route(.get, "/parts") { _ in
        let parts = Mutex(3)
        return APIAnswer(
          body: .stream(
            APIByteStream(unfolding: {
              parts.withLock { left -> [UInt8]? in
                guard left > 0 else { return nil }
                left -= 1
                return Array("part".utf8)
              }
            }),
            length: nil
          )
        )
      },
      route(.get, "/endless") { _ in
        APIAnswer(body: .stream(APIByteStream(unfolding: { seen.parts.next() }), length: nil))
      },
      route(.get, "/hold") { _ in
        seen.isHeld.withLock { $0 = true }
        do {
          while seen.holds { try await Task.sleep(for: .milliseconds(5)) }
        } catch {
          seen.cancelled.withLock { $0 += 1 }
          throw error
        }
        return .json(["held": true])
      },
      route(.get, "/events", isEventStream: true) { _ in try seen.events.answer() },
      route(.options, "/described") { _ in APIAnswer(status: 204, headers: ["tus-version": "1.0.0"]) },
      route(.get, "/fail") { _ in throw DomainError(.internal, "a secret") },
      route(.post, "/json", body: .json(maximumBytes: 1_000)) { request in .json(try request.json()) },
      route(.post, "/form", body: .form()) { _ in .noContent },
      route(.post, "/none") { _ in .noContent },
      route(.put, "/stream", body: .stream(maximumBytes: 100_000)) { request in
        guard case .stream(let parts, _) = request.body else { return .json(["bytes": 0]) }
        var count = 0
        for try await part in parts { count += part.count }
        return .json(["bytes": .integer(count)])
      },
      route(.get, "/items/{item}") { request in .json(["item": .string(try request.parameter("item"))]) },
    ]
  }

  /// Sends a request and returns the response.
  func ask(
    _ line: String,
    _ headers: [String: String] = [:],
    body: String? = nil
  ) async throws -> WireResponse {
    let client = try WireClient(port)
    var text = "\(line) HTTP/1.1\r\nHost: fettle.example\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    if let body { text += "Content-Length: \(body.utf8.count)\r\n" }
    client.send(text + "\r\n" + (body ?? ""))
    return try await client.response(isHead: line.hasPrefix("HEAD"))
  }
}

extension WireClient {
  /// Waits for the first response.
  func response(isHead: Bool = false) async throws -> WireResponse {
    try await until {
      let isOver = isClosed()
      if WireResponse.parse(bytes, isHead: isHead) != nil { return true }
      if isOver { throw ClosedEarly(received: received) }
      return false
    }
    return try #require(WireResponse.parse(bytes, isHead: isHead)).response
  }

  struct ClosedEarly: Error { let received: String }
}
