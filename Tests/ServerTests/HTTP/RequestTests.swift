import API
import Domain
import Foundation
import TestDatabase
import TestTools
import Testing

@testable import Server

/// Requests and answers over a real socket.
@Suite(.timeLimit(.minutes(60))) struct RequestTests {
  @Test func `a request reaches its route with query, placeholders, id and address`() async throws {
    try await TestServer.run { (server, _) async throws in
      let id = UUID()
      let response = try await server.ask(
        "GET /items/caf%C3%A9?q=a+b&q=%2B",
        ["X-Request-Id": id.uuidString, "X-Forwarded-For": "203.0.113.9"]
      )
      #expect(response.status == 200)
      #expect(response.text == #"{"item":"café"}"#)
      #expect(response.headers["x-request-id"] == id.uuidString.lowercased())
      let request = try #require(server.seen.first)
      #expect(request.query.map(\.value) == ["a b", "+"])
      #expect(request.id == id)
      // Nobody trusts the field of a client.
      #expect(request.address == "127.0.0.1")
      #expect(request.origin == "http://127.0.0.1:\(server.port)")
    }
  }

  @Test func `behind a trusted proxy the last untrusted address is the client`() async throws {
    try await TestServer.run(publicOrigin: "https://fettle.example", trusted: ["127.0.0.0/8", "10.0.0.0/8"]) {
      (server, _) async throws in
      _ = try await server.ask("GET /small", ["X-Forwarded-For": "1.1.1.1, 203.0.113.9, 10.0.0.3"])
      let request = try #require(server.seen.first)
      #expect(request.address == "203.0.113.9")
      #expect(request.peer == "127.0.0.1")
      #expect(request.origin == "https://fettle.example")
    }
  }

  @Test func `every answer has the fields of security, also errors`() async throws {
    try await TestServer.run(publicOrigin: "https://fettle.example") { (server, _) async throws in
      for line in ["GET /small", "GET /nothing", "GET /fail", "PUT /small", "GET /small%", "GET /items/%00"] {
        let headers = try await server.ask(line).headers
        #expect(headers["x-content-type-options"] == "nosniff", "\(line)")
        for directive in ["default-src", "base-uri", "frame-ancestors"] {
          #expect(headers["content-security-policy"]?.contains("\(directive) 'none'") == true, "\(line)")
        }
        #expect(headers["referrer-policy"] == "no-referrer", "\(line)")
        #expect(headers["strict-transport-security"]?.hasPrefix("max-age=") == true, "\(line)")
        #expect(headers["cache-control"] == "no-store", "\(line)")
        #expect(headers["x-request-id"].flatMap { UUID(uuidString: $0) } != nil, "\(line)")
        #expect(headers["date"]?.hasSuffix("GMT") == true, "\(line)")
      }
    }
  }

  @Test func `paths and methods that do not exist are told apart`() async throws {
    try await TestServer.run { (server, _) async throws in
      #expect(try await server.ask("GET /nothing").status == 404)
      #expect(try await server.ask("GET /items/a/b").status == 404)
      let wrong = try await server.ask("DELETE /small")
      #expect(wrong.status == 405)
      #expect(wrong.headers["allow"] == "GET, HEAD, OPTIONS")
      #expect(try await server.ask("TRACE /small").status == 405)
      #expect(try await server.ask("OPTIONS /small").headers["allow"] == "GET, HEAD, OPTIONS")
      #expect(try await server.ask("OPTIONS /described").headers["tus-version"] == "1.0.0")
      #expect(try await server.ask("GET /small?a=%zz").status == 400)
      #expect(try await server.ask("GET /small?a=b").status == 422)
      #expect(try await server.ask("GET http://fettle.example/small").status == 200)
    }
  }

  @Test func `an internal error says nothing of its cause`() async throws {
    try await TestServer.run { (server, _) async throws in
      let response = try await server.ask("GET /fail")
      #expect(response.status == 500)
      #expect(response.headers["content-type"] == "application/problem+json")
      #expect(!response.text.contains("secret"))
    }
  }

  @Test func `HEAD is the answer to GET without its body`() async throws {
    try await TestServer.run { (server, _) async throws in
      let head = try await server.ask("HEAD /large")
      #expect(head.status == 200 && head.body.isEmpty)
      #expect(head.headers["content-length"] == "\(try await server.ask("GET /large").body.count)")
      let parts = try await server.ask("HEAD /parts")
      #expect(parts.status == 200 && parts.body.isEmpty && parts.headers["connection"] == "close")
    }
  }

  @Test func `health is answered without the API`() async throws {
    try await TestServer.run(isReady: false) { (server, _) async throws in
      #expect(try await server.ask("GET /livez").status == 200)
      #expect(try await server.ask("GET /readyz").status == 503)
    }
    try await TestServer.run { (server, _) async throws in
      #expect(try await server.ask("GET /readyz").status == 200)
    }
  }

  @Test func `requests in one packet are answered in order on one connection`() async throws {
    try await TestServer.run { (server, _) async throws in
      let client = try WireClient(server.port)
      let lines = ["/items/1", "/parts", "/items/2", "/nothing", "/items/3"]
      client.send(lines.map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
      var bodies: [String] = []
      // The answers arrive in any number of packets.
      try await until {
        client.isClosed()
        bodies = WireResponse.parseAll(client.bytes).map { $0.status == 200 ? $0.text : "\($0.status)" }
        return bodies.count >= lines.count
      }
      #expect(
        bodies == [
          #"{"item":"1"}"#, "partpartpart", #"{"item":"2"}"#, "404", #"{"item":"3"}"#,
        ]
      )
    }
  }
}
