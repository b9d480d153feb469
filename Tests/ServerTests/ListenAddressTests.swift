import Server
import Testing

@Suite struct ListenAddressTests {
  @Test(arguments: [
    ("9464", "127.0.0.1:9464", true), ("127.0.0.1:0", "127.0.0.1:0", true),
    ("[::1]:9464", "[::1]:9464", true),
    ("0.0.0.0:9464", "0.0.0.0:9464", false), ("worker-1.internal:80", "worker-1.internal:80", false),
    ("localhost:1", "localhost:1", true),
  ])
  func `an address is a port, alone or behind a host`(text: String, meant: String, isLoopback: Bool) throws {
    let address = try #require(ListenAddress(text))
    #expect(address.description == meant)
    #expect(address.isLoopback == isLoopback)
  }

  @Test(arguments: ["", ":", ":80", "80000", "-1", "host:", "host:a", "::1:80", "[]:80", "a b:80", "1e3"])
  func `anything else is none`(text: String) {
    #expect(ListenAddress(text) == nil)
  }
}
