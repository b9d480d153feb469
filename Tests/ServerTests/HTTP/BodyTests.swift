import Foundation
import TestDatabase
import TestTools
import Testing

@testable import Server

/// Bodies of requests: kinds, sizes, and ends that come too early.
@Suite(.timeLimit(.minutes(60))) struct BodyTests {
  private static let json = ["Content-Type": "application/json; charset=utf-8"]

  @Test func `a body of another kind is refused`() async throws {
    try await TestServer.run { (server, _) async throws in
      #expect(try await server.ask("POST /json", Self.json, body: #"{"a":1}"#).text == #"{"a":1}"#)
      #expect(
        try await server.ask("POST /json", ["Content-Type": "application/merge+json"], body: "{}").status
          == 200
      )
      #expect(try await server.ask("POST /json", body: "{}").status == 415)
      #expect(try await server.ask("POST /json", ["Content-Type": "text/plain"], body: "{}").status == 415)
      #expect(try await server.ask("POST /json").status == 200)
      #expect(try await server.ask("POST /none", Self.json, body: "{}").status == 415)
      #expect(try await server.ask("POST /none", Self.json, body: "").status == 204)
      let form = ["Content-Type": "application/x-www-form-urlencoded"]
      #expect(try await server.ask("POST /form", form, body: "a=b").status == 204)
      #expect(try await server.ask("POST /form", Self.json, body: "{}").status == 415)
      let packed = Self.json.merging(["Content-Encoding": "gzip"]) { $1 }
      #expect(try await server.ask("POST /json", packed, body: "{}").status == 415)
    }
  }

  @Test func `a body that is announced as too large is refused before it is read`() async throws {
    try await TestServer.run { (server, _) async throws in
      let client = try WireClient(server.port)
      client.send(
        "POST /json HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000000000\r\n\r\n"
      )
      let response = try await client.response()
      #expect(response.status == 413)
      #expect(response.headers["connection"] == "close")
      #expect(response.text.contains("1000 bytes"))
    }
  }

  @Test(arguments: ["9223372036854775808", "18446744073709551615"])
  func `a length beyond the integers is no missing one`(length: String) async throws {
    try await TestServer.run { (server, _) async throws in
      let statuses = ["POST /json": 413, "PUT /stream": 413, "POST /none": 415, "GET /nothing": 404]
      for (line, status) in statuses {
        let client = try WireClient(server.port)
        client.send(
          "\(line) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(length)\r\n\r\n{}"
        )
        let response = try await client.response()
        #expect(response.status == status && response.headers["connection"] == "close", "\(line)")
      }
      #expect(server.seen.first == nil)
    }
  }

  @Test func `a body that grows too large is cut off`() async throws {
    var limits = TestServer.wide
    limits.lingerTime = .milliseconds(300)
    try await TestServer.run(limits: limits) { (server, _) async throws in
      for path in ["POST /json", "PUT /stream"] {
        let client = try WireClient(server.port)
        client.send(
          "\(path) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        let chunk = "400\r\n\(String(repeating: "a", count: 1_024))\r\n"
        try await until { !client.send(chunk) || client.isClosed() }
        client.isClosed()
        #expect(WireResponse.parse(client.bytes)?.response.status == 413, "\(path)")
      }
    }
  }

  @Test func `a streamed body is counted to its last byte, and one more is refused`() async throws {
    try await TestServer.run { (server, _) async throws in
      let whole = String(repeating: "a", count: 100_000)
      #expect(try await server.ask("PUT /stream", body: whole).text == #"{"bytes":100000}"#)
      #expect(try await server.ask("PUT /stream", body: whole + "a").status == 413)
    }
  }

  @Test func `a body that ends early never looks complete`() async throws {
    try await TestServer.run { (server, _) async throws in
      let client = try WireClient(server.port)
      client.send(
        "PUT /stream HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nnot a chunk\r\n"
      )
      #expect(try await client.response().status == 400)
    }
  }

  @Test func `a client that waits for leave to send gets it`() async throws {
    try await TestServer.run { (server, _) async throws in
      let client = try WireClient(server.port)
      client.send(
        "POST /json HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
          + "Expect: 100-continue\r\n\r\n"
      )
      try await until {
        client.isClosed()
        return client.received.hasPrefix("HTTP/1.1 100")
      }
      client.send("{}")
      #expect(try await client.response().status == 200)
    }
  }
}
