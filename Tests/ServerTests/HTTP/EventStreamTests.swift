import API
import ServiceLifecycle
import Synchronization
import TestDatabase
import TestTools
import Testing

@testable import Server

/// Streams of events on real connections.
@Suite(.serialized, .timeLimit(.minutes(60))) struct EventStreamTests {
  private static let request = "GET /events HTTP/1.1\r\nHost: fettle.example\r\n\r\n"

  private static func open(_ server: TestServer, after first: String = "") async throws -> WireClient {
    let client = try WireClient(server.port)
    client.send(first + request)
    try await until {
      client.isClosed()
      return client.received.contains("first")
    }
    return client
  }

  @Test func `events arrive when they happen, and the end closes the connection`() async throws {
    try await TestServer.run { server, _ in
      let client = try await Self.open(server)
      #expect(client.received.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(client.received.lowercased().contains("\r\nconnection: close\r\n"))
      #expect(client.received.lowercased().contains("\r\nx-content-type-options: nosniff\r\n"))
      #expect(!client.received.lowercased().contains("transfer-encoding"))
      server.seen.events.send("second")
      try await until {
        client.isClosed()
        return client.received.hasSuffix("firstsecond")
      }
      // What the client sends meanwhile is ignored.
      client.send(Self.request)
      server.seen.events.send(nil)
      try await until { client.isClosed() }
      #expect(client.received.hasSuffix("firstsecond"))
    }
  }

  @Test func `a stream after another request on the connection works too`() async throws {
    try await TestServer.run { server, _ in
      let client = try await Self.open(server, after: "GET /small HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(client.received.contains("small"))
      server.seen.events.send("second")
      try await until {
        client.isClosed()
        return client.received.contains("second")
      }
      server.seen.events.send(nil)
      try await until {
        client.isClosed()
        return client.received.hasSuffix("0\r\n\r\n")
      }
    }
  }

  @Test func `a client that goes away ends its stream`() async throws {
    try await TestServer.run { server, _ in
      var client: WireClient? = try await Self.open(server)
      #expect(server.seen.events.isOpen)
      client = nil
      _ = client
      try await until { !server.seen.events.isOpen }
    }
  }

  @Test func `a refused stream is answered as any request, and the connection goes on`() async throws {
    try await TestServer.run { server, _ in
      server.seen.events.refuse()
      let client = try WireClient(server.port)
      client.send(Self.request)
      #expect(try await client.response().status == 429)
      client.send("GET /small HTTP/1.1\r\nHost: a\r\n\r\n")
      try await until {
        client.isClosed()
        return client.received.contains("small")
      }
      let head = try await server.ask("HEAD /events")
      #expect(head.status == 429)
    }
  }

  @Test func `open streams do not delay a graceful shutdown`() async throws {
    try await TestServer.run { server, group in
      let client = try await Self.open(server)
      await group.triggerGracefulShutdown()
      try await until { client.isClosed() }
      #expect(!server.seen.events.isOpen)
    }
  }
}
