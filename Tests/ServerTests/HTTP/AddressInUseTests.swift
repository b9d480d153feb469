import API
import TestTools
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(60))) struct AddressInUseTests {
  private func answers(_ server: TestServer) async throws {
    let client = try WireClient(server.port)
    client.send("GET /livez HTTP/1.0\r\n\r\n")
    #expect(try await client.response().status == 200)
  }

  @Test func `a server takes another port only if it may`() async throws {
    try await TestServer.run { first, _ in
      let address = "127.0.0.1:\(first.port)"
      try await TestServer.run(on: address, takesAnotherPort: true) { second, _ in
        #expect(second.port != first.port)
        try await answers(second)
      }
      do {
        try await TestServer.run(on: address) { _, _ in Issue.record("a second server is open") }
      } catch let error as ServerError {
        #expect(error.reason == "another process uses the port")
      }
      try await answers(first)
    }
  }
}
