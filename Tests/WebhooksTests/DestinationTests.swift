import Domain
import Testing

@testable import Webhooks

@Suite struct DestinationTests {
  @Test(
    arguments: [
      ("https://hooks.example/fettle", "hooks.example"), ("http://10.0.0.7:8080/x?y=1", "10.0.0.7"),
      ("http://[fd00::1]:80/", "fd00::1"), ("https://hooks.example", "hooks.example"),
    ]
  )
  func `the host of a URL has neither port nor brackets`(url: String, host: String) {
    #expect(Destination.host(of: url) == host)
  }

  @Test func `the worst address of a host counts`() throws {
    let open = try #require(IPAddress("1.1.1.1"))
    let home = try #require(IPAddress("192.168.1.20"))
    let cloud = try #require(IPAddress("169.254.169.254"))
    #expect(Destination.judge("h", [open]) == .open)
    #expect(Destination.judge("h", [open, home]) == .isPrivate(address: "192.168.1.20"))
    #expect(Destination.judge("h", [home, cloud]) == .closed(address: "169.254.169.254"))
    #expect(Destination.judge("h", []) == .unresolved(host: "h"))
  }

  @Test(
    arguments: [
      ("http://127.0.0.1:9/", Destination.isPrivate(address: "127.0.0.1")),
      ("http://127.1/", .isPrivate(address: "127.0.0.1")), ("http://[::1]/", .isPrivate(address: "::1")),
      ("http://2852039166/", .closed(address: "169.254.169.254")),
      ("http://[::ffff:10.1.2.3]/", .isPrivate(address: "10.1.2.3")), ("http://1.1.1.1/", .open),
    ]
  )
  func `an address in any notation is judged`(url: String, expected: Destination) async throws {
    #expect(try await Destination.resolve(url) == expected)
  }
}
