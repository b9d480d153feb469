import API
import Domain
import FoundationEssentials
import TestTools
import Testing

@testable import Server

/// The field `Host` of a request (RFC 9112, section 3.2).
@Suite(.timeLimit(.minutes(60))) struct HostTests {
  private func ask(_ server: TestServer, _ path: String, hosts: [String]) async throws -> WireResponse {
    let client = try WireClient(server.port)
    let fields = hosts.map { "Host: \($0)\r\n" }.joined()
    client.send("GET \(path) HTTP/1.1\r\n\(fields)Connection: close\r\n\r\n")
    return try await client.response()
  }

  @Test func `a request without a host, with two, or with something else is refused`() async throws {
    try await TestServer.run { server, _ in
      for hosts in [
        [], ["a", "b"], ["a", "a"], [""], ["a, b"], ["user@a"], ["a/b"], ["a b"], ["http://a"], ["a:x"],
        ["127.0.0.1", "evil.example"],
      ] {
        for path in ["/small", "/events"] {
          let response = try await ask(server, path, hosts: hosts)
          #expect(response.status == 400, "\(hosts) \(path)")
        }
      }
      #expect(server.seen.first == nil)
      for host in ["a", "fettle.example:8080", "[::1]:8080", "127.0.0.1"] {
        #expect(try await ask(server, "/small", hosts: [host]).status == 200)
      }
    }
  }

  @Test func `a check of the health needs no host`() async throws {
    try await TestServer.run { server, _ in
      let client = try WireClient(server.port)
      client.send("GET /livez HTTP/1.0\r\n\r\n")
      #expect(try await client.response().status == 200)
    }
  }

  @Test(arguments: [
    "127.0.0.1.evil.example:8080", "127.evil.example", "localhost.evil.example", "127.1:8080", "evil.example",
  ])
  func `without a public URL, a name of somebody else is no origin`(_ host: String) async throws {
    #expect(ListenAddress(host: host, port: 1).isLoopback == false)
    try await TestServer.run { server, _ in
      let response = try await ask(server, "/small", hosts: [host])
      #expect(response.status == 200)
      #expect(server.seen.first?.origin == "http://127.0.0.1:\(server.port)")
    }
  }

  @Test(arguments: ["127.0.0.1:9", "localhost:9", "[::1]:9", "127.9.9.9"])
  func `without a public URL, a name of this machine is the origin`(_ host: String) async throws {
    try await TestServer.run { server, _ in
      let response = try await ask(server, "/small", hosts: [host])
      #expect(response.status == 200)
      #expect(server.seen.first?.origin == "http://\(host)")
    }
  }
}
