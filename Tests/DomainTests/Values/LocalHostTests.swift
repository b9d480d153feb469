import Testing

@testable import Domain

@Suite struct LocalHostTests {
  @Test(arguments: [
    "localhost", "LOCALHOST", "127.0.0.1", "127.255.255.254", "::1", "[::1]", "0:0:0:0:0:0:0:1",
    "::ffff:127.0.0.1",
  ])
  func `a name or an address of this machine`(_ host: String) {
    #expect(LocalHost.isNamed(by: host))
    let bracketed = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    #expect(LocalHost.isNamed(inURL: "http://\(bracketed)"))
    #expect(LocalHost.isNamed(inURL: "http://\(bracketed):8080/path?query"))
  }

  @Test(arguments: [
    "127.0.0.1.evil.example", "127.evil.example", "127.0.0.1evil", "127.1", "127", "0x7f.0.0.1", "2130706433",
    "0177.0.0.1", "localhost.evil.example", "evil.localhost.example", "localhost.", "127.0.0.1.", "128.0.0.1",
    "0.0.0.0", "::", "::2", "[::1", "::1]", "[127.0.0.1", "64:ff9b::127.0.0.1", "2002:7f00:1::", "fe80::1",
    "",
    " 127.0.0.1", "127.0.0.1 ", "１２７.0.0.1", "ⓛocalhost",
  ])
  func `a host of somebody else`(_ host: String) {
    #expect(!LocalHost.isNamed(by: host))
    #expect(!LocalHost.isNamed(inURL: "http://\(host)/"))
  }

  @Test(arguments: [
    "http://user@127.0.0.1/", "http://127.0.0.1@evil.example/", "http://evil.example#@127.0.0.1",
    "http://evil.example/127.0.0.1", "http://127.0.0.1:x/", "http://127.0.0.1:99999/", "127.0.0.1",
    "http:127.0.0.1",
    "http:///127.0.0.1", "http://evil.example\\@127.0.0.1/",
  ])
  func `a URL whose host is not this machine, or is none`(_ url: String) {
    #expect(!LocalHost.isNamed(inURL: url))
  }

  @Test(
    arguments: [
      ("fettle.example", "fettle.example", nil), ("fettle.example:8080", "fettle.example", 8080),
      ("[2001:db8::1]:443", "[2001:db8::1]", 443), ("a_b", "a_b", nil),
    ] as [(String, String, Int?)]
  )
  func `an authority is a host with a port`(_ text: String, _ host: String, _ port: Int?) {
    let authority = URLAuthority(text)
    #expect(authority?.host == host && authority?.port == port)
  }

  @Test(arguments: [
    "", ":80", "a:b", "a:", "a b", "a,b", "a/b", "a@b", "[::1", "[x]", "a:123456", "a:80:80", "ä", "a:-1",
  ])
  func `other text is no authority`(_ text: String) {
    #expect(URLAuthority(text) == nil)
  }
}
