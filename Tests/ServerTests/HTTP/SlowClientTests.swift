import Foundation
import ServiceLifecycle
import TestDatabase
import TestTools
import Testing

@testable import Server

/// Clients that hold connections, and requests that hold the server.
@Suite(.serialized, .timeLimit(.minutes(60))) struct SlowClientTests {
  @Test(arguments: ["", "GET /sm", "GET /small HTTP/1.1\r\nHost: a\r\nX-Slow: "])
  func `a head that arrives byte by byte is cut off`(beginning: String) async throws {
    var limits = TestServer.wide
    limits.headTime = .milliseconds(300)
    try await TestServer.run(limits: limits) { (server, _) async throws in
      let client = try WireClient(server.port)
      client.send(beginning)
      let more = beginning.isEmpty ? "" : "a"
      try await until { !client.send(more) || client.isClosed() }
    }
  }

  @Test func `a head that arrives byte by byte is cut off on a used connection too`() async throws {
    var limits = TestServer.wide
    limits.headTime = .milliseconds(300)
    try await TestServer.run(limits: limits) { (server, _) async throws in
      let client = try WireClient(server.port)
      client.send("GET /small HTTP/1.1\r\nHost: a\r\n\r\n")
      _ = try await client.response()
      client.send("GET /sm")
      try await until { !client.send("a") || client.isClosed() }
    }
  }

  @Test(arguments: ["POST /json", "PUT /stream"])
  func `a body that arrives byte by byte is answered with 408`(line: String) async throws {
    var limits = TestServer.wide
    limits.bodyTime = .milliseconds(300)
    limits.lingerTime = .seconds(1)
    try await TestServer.run(limits: limits) { (server, _) async throws in
      let client = try WireClient(server.port)
      client.send(
        "\(line) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n"
      )
      try await until { !client.send("a") || client.isClosed() }
      let response = WireResponse.parse(client.bytes)?.response
      #expect(response.map { [408, 503].contains($0.status) } ?? true)
    }
  }

  @Test func `a client that does not read its answer is cut off`() async throws {
    var limits = TestServer.wide
    limits.bodyTime = .milliseconds(100)
    limits.bytesPerSecond = 1 << 28
    try await TestServer.run(limits: limits) { (server, _) async throws in
      let client = try WireClient(server.port)
      client.send("GET /bytes HTTP/1.1\r\nHost: a\r\n\r\n")
      // Empty lines before a request are ignored.
      try await until { !client.send("\r\n") }
    }
  }

  @Test func `an answer is not produced faster than the network takes it`() async throws {
    try await TestServer.run { (server, _) async throws in
      let client = try WireClient(server.port)
      client.send("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n")
      try await until { server.seen.parts.takenWhileBlocked != nil }
      #expect(server.seen.parts.takenWhileBlocked.map { $0 <= 2 } == true)
    }
  }

  @Test func `the kernel keeps little of an answer that nobody reads`() async throws {
    try await TestServer.run { (server, _) async throws in
      let client = try WireClient(server.port)
      client.send("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n")
      var taken = 0
      repeat {
        taken = server.seen.parts.taken
        try await Task.sleep(for: .milliseconds(500))
      } while taken == 0 || taken < server.seen.parts.taken
      #expect(taken * 65_536 < 1 << 20, "by default the kernel takes 4 MiB")
      withExtendedLifetime(client) {}
    }
  }

  @Test func `an idle connection is closed, a used one not`() async throws {
    var limits = TestServer.wide
    limits.idleTime = .milliseconds(300)
    try await TestServer.run(limits: limits) { (server, _) async throws in
      let client = try WireClient(server.port)
      client.send("GET /small HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await client.response().status == 200)
      try await until { client.isClosed() }
    }
  }

  @Test func `URLs and heads that are too long are refused`() async throws {
    try await TestServer.run { (server, _) async throws in
      #expect(try await server.ask("GET /small?a=\(String(repeating: "a", count: 9_000))").status == 414)
      let field = ["X-Long": String(repeating: "a", count: 17_000)]
      #expect(try await server.ask("GET /small", field).status == 431)
      let many = Dictionary(uniqueKeysWithValues: (0..<120).map { ("X-\($0)", "a") })
      #expect(try await server.ask("GET /small", many).status == 431)
      // A URL without an end is not kept in memory until it has one.
      let endless = try WireClient(server.port)
      endless.send("GET /")
      let more = String(repeating: "a", count: 4_096)
      try await until {
        endless.send(more)
        endless.isClosed()
        return WireResponse.parse(endless.bytes) != nil
      }
      #expect(WireResponse.parse(endless.bytes)?.response.status == 431)
    }
  }

  @Test func `what is not HTTP is answered once and closed`() async throws {
    var limits = TestServer.wide
    limits.lingerTime = .milliseconds(100)
    try await TestServer.run(limits: limits) { (server, _) async throws in
      let client = try WireClient(server.port)
      client.send("\u{16}\u{3}\u{1} hello\r\n\r\n")
      let response = try await client.response()
      #expect(response.status == 400)
      #expect(response.headers["content-security-policy"] != nil)
      try await until { client.isClosed() }
    }
  }

  @Test func `one network has a share of the connections, and health checks of others a place`() async throws
  {
    var limits = TestServer.wide
    limits.connectionsPerNetwork = 4
    try await TestServer.run(limits: limits) { (server, _) async throws in
      let clients = try (0..<4).map { _ in try WireClient(server.port) }
      for client in clients { client.send("GET /small HTTP/1.1\r\nHost: a\r\n\r\n") }
      for client in clients { #expect(try await client.response().status == 200) }
      let further = try WireClient(server.port)
      try await until { further.isClosed() }
      #expect(further.bytes.isEmpty)
    }
    // A proxy has all of them.
    try await TestServer.run(limits: limits, trusted: ["127.0.0.1"]) { (server, _) async throws in
      let clients = try (0..<20).map { _ in try WireClient(server.port) }
      for client in clients { client.send("GET /small HTTP/1.1\r\nHost: a\r\n\r\n") }
      for client in clients { #expect(try await client.response().status == 200) }
    }
  }

  @Test func `requests beyond the limit in flight are told to come back, health checks are answered`()
    async throws
  {
    var limits = TestServer.wide
    limits.requestsInFlight = 1
    try await TestServer.run(limits: limits) { (server, _) async throws in
      let holder = try WireClient(server.port)
      holder.send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n")
      try await until { server.seen.holds }
      let refused = try await server.ask("GET /small")
      #expect(refused.status == 503)
      #expect(refused.headers["retry-after"].flatMap { Int($0) }.map { (1...3).contains($0) } == true)
      #expect(try await server.ask("GET /livez").status == 200)
      server.seen.release()
      #expect(try await holder.response().status == 200)
      #expect(try await server.ask("GET /small").status == 200)
    }
  }

  @Test func `a handler over its time is cancelled`() async throws {
    var limits = TestServer.wide
    limits.handlerTime = .milliseconds(100)
    try await TestServer.run(limits: limits) { (server, _) async throws in
      let response = try await server.ask("GET /hold")
      #expect(response.status == 503)
      #expect(response.text.contains("timed_out"))
      #expect(server.seen.cancellations == 1)
    }
  }

  @Test func `shutdown finishes the requests in flight and closes idle connections`() async throws {
    try await TestServer.run { (server, group) async throws in
      let idle = try WireClient(server.port)
      idle.send("GET /small HTTP/1.1\r\nHost: a\r\n\r\n")
      _ = try await idle.response()
      let holder = try WireClient(server.port)
      holder.send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n")
      try await until { server.seen.holds }
      await group.triggerGracefulShutdown()
      try await until { idle.isClosed() }
      #expect(!holder.isClosed())
      server.seen.release()
      #expect(try await holder.response().status == 200)
      try await until { holder.isClosed() }
    }
  }

  @Test func `a request that comes during the shutdown is answered, and the answer says that it is the last`()
    async throws
  {
    var limits = TestServer.wide
    limits.quietTime = .seconds(3_600)
    try await TestServer.run(limits: limits) { (server, group) async throws in
      let (idle, holder) = (try WireClient(server.port), try WireClient(server.port))
      idle.send("GET /small HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await idle.response().headers["connection"] == nil)
      holder.send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n")
      try await until { server.seen.holds }
      await group.triggerGracefulShutdown()
      try await until { (try? WireClient(server.port)) == nil }
      #expect(!idle.isClosed())
      var sent = 1
      try await until {
        if idle.isClosed() { return true }
        // The connection may learn of the shutdown a moment after the listening socket.
        if WireResponse.parseAll(idle.bytes).count == sent {
          idle.send("GET /small HTTP/1.1\r\nHost: a\r\n\r\n")
          sent += 1
        }
        return false
      }
      let answers = WireResponse.parseAll(idle.bytes)
      #expect(answers.count == sent && sent > 1 && answers.allSatisfy { $0.status == 200 })
      #expect(answers.last?.headers["connection"] == "close")
      server.seen.release()
      #expect(try await holder.response().status == 200)
      try await until { holder.isClosed() }
    }
  }

  @Test func `shutdown cancels requests that take too long`() async throws {
    var limits = TestServer.wide
    limits.drainTime = .milliseconds(100)
    try await TestServer.run(limits: limits) { (server, group) async throws in
      let holder = try WireClient(server.port)
      holder.send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n")
      try await until { server.seen.holds }
      await group.triggerGracefulShutdown()
      try await until { holder.isClosed() }
      #expect(server.seen.cancellations == 1)
    }
  }
}
