import Apps
import Domain
import Testing

@Suite struct EndpointTests {
  @Test(arguments: ["https://grid.example/readings", "http://127.0.0.1:9/x", "http://localhost"])
  func `an https address, or http to this machine, is taken`(url: String) throws {
    try Endpoint.require(url)
  }

  @Test(arguments: [
    "https://grid.example/a b", "https://grid.example/\n", "https://grid.example\r\nHost: evil.example",
    " https://a.se",
    "https://grid.example/\t", "https://grid.example/\u{A0}", "https://größe.example", "http://localhost /x",
  ])
  func `an address with a space, a line break or another such character is refused`(url: String) {
    let error = #expect(throws: DomainError.self) { try Endpoint.require(url) }
    #expect(error?.code == .invalidInput)
  }

  @Test(arguments: [
    "http://grid.example", "https://", "https://eva:secret@grid.example", "ftp://grid.example",
  ])
  func `an address that is not encrypted or holds a password is refused`(url: String) {
    let error = #expect(throws: DomainError.self) { try Endpoint.require(url) }
    #expect(error?.code == .invalidInput)
  }
}
