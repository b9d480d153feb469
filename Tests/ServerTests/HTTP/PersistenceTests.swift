import API
import Foundation
import Synchronization
import TestDatabase
import TestTools
import Testing

@testable import Server

/// The end of a connection, and clients that speak HTTP/1.0 (RFC 9112, section 9.3).
@Suite(.timeLimit(.minutes(60))) struct PersistenceTests {
  /// Sends a text, and returns the response and all that was received before the server closed the connection.
  private func closing(_ server: TestServer, _ text: String) async throws -> (WireResponse, received: String)
  {
    let client = try WireClient(server.port)
    client.send(text)
    try await until { client.isClosed() }
    // Without length and parts, the end of the connection ends a body.
    let parsed = WireResponse.parse(client.bytes) ?? WireResponse.parse(client.bytes, isHead: true)
    return (try #require(parsed?.response, "\(client.received)"), client.received)
  }

  @Test(arguments: [
    "GET /small HTTP/1.0\r\n\r\n", "GET /small HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n",
    "GET /small HTTP/1.1\r\nHost: a\r\nConnection: TE, close\r\n\r\n",
    "GET /small HTTP/1.1\r\nHost: a\r\nConnection: TE\r\nConnection: Close\r\n\r\n",
  ])
  func `the last request of a connection is answered once, and the connection closed`(request: String)
    async throws
  {
    try await TestServer.run { server, _ in
      for text in [request, request + request, request + "garbage"] {
        let (response, received) = try await closing(server, text)
        #expect(response.status == 200 && response.headers["connection"] == "close")
        #expect(received.components(separatedBy: "HTTP/1.").count == 2, "\(received)")
      }
    }
  }

  @Test func `an older client needs no host, and gets no parts`() async throws {
    try await TestServer.run { server, _ in
      let (options, _) = try await closing(server, "OPTIONS /small HTTP/1.0\r\n\r\n")
      #expect(options.status == 204 && options.headers["allow"] == "GET, HEAD, OPTIONS")
      let (parts, received) = try await closing(server, "GET /parts HTTP/1.0\r\nExpect: 100-continue\r\n\r\n")
      #expect(parts.headers["transfer-encoding"] == nil)
      #expect(received.hasPrefix("HTTP/1.0 200") && received.hasSuffix("\r\n\r\npartpartpart"))
      _ = try await closing(server, "GET /small HTTP/1.0\r\n\r\n")
      #expect(server.seen.requests.withLock { $0.last }?.origin == "http://127.0.0.1:\(server.port)")
    }
  }

  @Test func `a body without a length is none, and the request is answered`() async throws {
    try await TestServer.run { server, _ in
      let head = "POST /json HTTP/1.0\r\nContent-Type: application/json\r\n"
      #expect(try await closing(server, head + "Content-Length: 2\r\n\r\n{}").0.text == "{}")
      let client = try WireClient(server.port)
      client.send(head + "\r\n{\"a\":")
      client.send("1}")
      #expect(try await client.response().status == 200)
    }
  }
}
