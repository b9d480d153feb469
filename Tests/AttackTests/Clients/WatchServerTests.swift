import Logging
import Server
import Synchronization
import TestDatabase
import TestTools
import Testing

/// Clients of a worker's HTTP endpoint that try to keep others out.
@Suite(.serialized, .timeLimit(.minutes(60))) struct WatchServerTests {
  /// Limits that no test reaches, to change one of them.
  private static let wide = WatchServer.Limits(exchange: .seconds(3_600), connections: 1_000)

  @Test(arguments: [
    "", "GET /metr", "GET /metrics HTTP/1.1\r\nHost: fettle\r\nX-Slow: ",
    "POST /healthz HTTP/1.1\r\nHost: fettle\r\nContent-Length: 1000000\r\n\r\n",
  ])
  func `a client that sends a byte now and then is disconnected`(beginning: String) async throws {
    var limits = Self.wide
    limits.exchange = .milliseconds(300)
    try await serving(limits) { port in
      let client = try WireClient(port)
      client.send(beginning)
      let more = beginning.isEmpty ? "" : "a"
      try await until { !client.send(more) || client.isClosed() }
    }
  }

  @Test func `a client that does not read the answer is disconnected`() async throws {
    var limits = Self.wide
    limits.exchange = .milliseconds(300)
    let metrics = String(repeating: "fettle_queue_jobs 1\n", count: 1 << 20)
    try await serving(limits, metrics: metrics) { port in
      let client = try WireClient(port)
      client.send("GET /metrics HTTP/1.1\r\nHost: fettle\r\n\r\n")
      // Empty lines before a request are ignored.
      try await until { !client.send("\r\n") }
    }
  }

  @Test func `a body that does not end is cut off`() async throws {
    try await serving(Self.wide) { port in
      let client = try WireClient(port)
      client.send("POST /healthz HTTP/1.1\r\nHost: fettle\r\nTransfer-Encoding: chunked\r\n\r\n")
      let chunk = "400\r\n\(String(repeating: "a", count: 1_024))\r\n"
      try await until { !client.send(chunk) || client.isClosed() }
    }
  }

  @Test func `a head that is too long is not answered`() async throws {
    try await serving(Self.wide) { port in
      let client = try WireClient(port)
      let header = "X-Long: \(String(repeating: "a", count: 1_024))\r\n"
      client.send("GET /healthz HTTP/1.1\r\nConnection: close\r\n\(String(repeating: header, count: 20))\r\n")
      try await until { client.isClosed() }
      #expect(!client.received.hasPrefix("HTTP/1.1 200"))
    }
  }

  @Test func `idle connections do not keep a health check out`() async throws {
    var limits = Self.wide
    limits.connections = 4
    try await serving(limits) { port in
      let idle = try (0..<40).map { _ in try WireClient(port) }
      try await until { idle.filter { $0.isClosed() }.count >= 36 }
      let check = try WireClient(port)
      check.send("GET /healthz HTTP/1.1\r\nHost: fettle\r\n\r\n")
      try await until {
        _ = check.isClosed()
        return check.received.hasSuffix("fine\n")
      }
      #expect(check.received.hasPrefix("HTTP/1.1 200"))
    }
  }

  @Test func `a connection that asks again in time stays open`() async throws {
    try await serving(Self.wide) { port in
      let client = try WireClient(port)
      for count in 1...3 {
        client.send("GET /healthz HTTP/1.1\r\nHost: fettle\r\n\r\n")
        try await until {
          #expect(!client.isClosed())
          return client.received.split(separator: "fine\n").count == count
        }
      }
    }
  }

  /// Runs an endpoint on a free port during a body.
  private func serving(
    _ limits: WatchServer.Limits,
    metrics: String = "",
    _ body: (Int) async throws -> Void
  ) async throws {
    let port = Mutex(0)
    let address = try #require(ListenAddress("0"))
    let server = WatchServer(
      address,
      limits: limits,
      metrics: { metrics },
      health: { Health(isAlive: true, isReady: true, status: "fine") },
      logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() },
      onListening: { opened in port.withLock { $0 = opened } }
    )
    let running = Task { try await server.run() }
    defer { running.cancel() }
    try await until { port.withLock { $0 } > 0 }
    try await body(port.withLock { $0 })
  }
}
