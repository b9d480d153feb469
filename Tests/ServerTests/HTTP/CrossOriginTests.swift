import CZlib
import Foundation
import Testing

@testable import Server

/// Scripts of other origins, and compression (S4-09).
@Suite(.timeLimit(.minutes(60))) struct CrossOriginTests {
  private static let app = "https://app.example"

  @Test(arguments: ["GET /small", "GET /nothing", "GET /fail", "DELETE /small"])
  func `an allowed origin may read every answer, with credentials`(line: String) async throws {
    try await TestServer.run(allowed: [Self.app]) { (server, _) async throws in
      let headers = try await server.ask(line, ["Origin": Self.app]).headers
      #expect(headers["access-control-allow-origin"] == Self.app)
      #expect(headers["access-control-allow-credentials"] == "true")
      #expect(headers["access-control-expose-headers"]?.contains("ETag") == true)
      #expect(headers["vary"]?.contains("Origin") == true)
    }
  }

  @Test(arguments: [
    "https://evil.example", "null", "https://app.example.evil.example", "http://app.example",
    "https://APP.example",
  ])
  func `another origin may read nothing`(origin: String) async throws {
    try await TestServer.run(allowed: [Self.app]) { (server, _) async throws in
      let answer = try await server.ask("GET /small", ["Origin": origin])
      #expect(answer.headers.keys.allSatisfy { !$0.hasPrefix("access-control") })
      #expect(answer.headers["vary"]?.contains("Origin") == true)
      let preflight = try await server.ask(
        "OPTIONS /json",
        ["Origin": origin, "Access-Control-Request-Method": "POST"]
      )
      #expect(preflight.status == 403)
      #expect(preflight.headers.keys.allSatisfy { !$0.hasPrefix("access-control") })
    }
  }

  @Test func `a preflight names the methods of the path`() async throws {
    try await TestServer.run(allowed: [Self.app]) { (server, _) async throws in
      let asking = ["Origin": Self.app, "Access-Control-Request-Method": "POST"]
      let answer = try await server.ask("OPTIONS /json", asking)
      #expect(answer.status == 204)
      #expect(answer.headers["access-control-allow-methods"] == "POST")
      #expect(answer.headers["access-control-allow-headers"]?.contains("Idempotency-Key") == true)
      #expect(answer.headers["access-control-allow-origin"] == Self.app)
      #expect(try await server.ask("OPTIONS /nothing", asking).status == 404)
    }
  }

  @Test func `without allowed origins no field speaks of them`() async throws {
    try await TestServer.run { (server, _) async throws in
      let headers = try await server.ask("GET /small", ["Origin": Self.app]).headers
      #expect(headers.keys.allSatisfy { !$0.hasPrefix("access-control") })
    }
  }

  @Test func `large JSON is compressed for those who accept it`() async throws {
    try await TestServer.run { (server, _) async throws in
      let plain = try await server.ask("GET /large")
      #expect(plain.headers["content-encoding"] == nil)
      #expect(plain.headers["vary"] == "Accept-Encoding")
      let packed = try await server.ask("GET /large", ["Accept-Encoding": "br, gzip;q=0.5"])
      #expect(packed.headers["content-encoding"] == "gzip")
      #expect(packed.body.count < plain.body.count / 5)
      #expect(inflated(packed.body) == plain.body)
      #expect(
        try await server.ask("GET /small", ["Accept-Encoding": "gzip"]).headers["content-encoding"] == nil
      )
      #expect(
        try await server.ask("GET /bytes", ["Accept-Encoding": "gzip"]).headers["content-encoding"] == nil
      )
      // The size of compressed text would tell about the cookie.
      #expect(
        try await server.ask("GET /cookie", ["Accept-Encoding": "gzip"]).headers["content-encoding"] == nil
      )
    }
  }

  @Test(
    arguments: [
      (nil, false), ("", false), ("gzip", true), ("GZIP", true), ("x-gzip", true), ("br", false), ("*", true),
      ("gzip;q=0", false), ("gzip; q=0.0, *", false), ("identity, *;q=0", false),
      ("br;q=1, gzip ; q=0.1", true),
    ] as [(String?, Bool)]
  )
  func `the field of accepted codings is read`(field: String?, isAccepted: Bool) {
    #expect(Gzip.isAccepted(field) == isAccepted)
  }

  @Test func `bytes that do not shrink stay as they are`() {
    var generator = SystemRandomNumberGenerator()
    let random = (0..<10_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    #expect(Gzip.compressed(random) == nil)
  }

  private func inflated(_ bytes: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    defer { inflateEnd(&stream) }
    var input = bytes
    return [UInt8](unsafeUninitializedCapacity: 1 << 20) { output, count in
      input.withUnsafeMutableBufferPointer { input in
        stream.next_in = input.baseAddress
        stream.avail_in = uInt(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = uInt(output.count)
        inflate(&stream, Z_FINISH)
        count = output.count - Int(stream.avail_out)
      }
    }
  }
}
