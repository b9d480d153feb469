import Domain
import Foundation
import Testing

@testable import Server

/// The rules of the HTTP server that need no socket.
@Suite struct HTTPRuleTests {
  private let start = ContinuousClock.now

  private func addresses(_ trusted: String...) -> ClientAddress {
    ClientAddress(trusted: trusted.compactMap { Network($0) })
  }

  @Test func `forwarded addresses count only from trusted proxies, from the right`() {
    let none = addresses()
    #expect(none.find(peer: "192.0.2.1", forwarded: ["203.0.113.9"]) == "192.0.2.1")
    let some = addresses("10.0.0.0/8", "fd00::/8")
    #expect(some.find(peer: "192.0.2.1", forwarded: ["203.0.113.9"]) == "192.0.2.1")
    #expect(some.find(peer: "10.0.0.1", forwarded: []) == "10.0.0.1")
    #expect(some.find(peer: "10.0.0.1", forwarded: ["1.1.1.1, 203.0.113.9"]) == "203.0.113.9")
    #expect(some.find(peer: "10.0.0.1", forwarded: ["1.1.1.1", "203.0.113.9", "10.0.0.2"]) == "203.0.113.9")
    #expect(some.find(peer: "10.0.0.1", forwarded: ["unknown, 10.0.0.2"]) == "10.0.0.2")
    #expect(some.find(peer: "fd00::1", forwarded: ["[2001:db8::7]:4711"]) == "2001:db8::7")
    #expect(some.find(peer: "::ffff:10.0.0.1", forwarded: ["203.0.113.9:4711"]) == "203.0.113.9")
  }

  @Test(
    arguments: [
      ("https://fettle.example", "https://fettle.example"),
      ("https://Fettle.Example/", "https://fettle.example"),
      ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
      ("https://[2001:db8::1]:8443", "https://[2001:db8::1]:8443"),
      ("fettle.example", nil), ("https://", nil), ("https://a/b", nil), ("ftp://a", nil),
      ("https://a b", nil),
      ("https://user@a", nil), ("*", nil), ("null", nil),
    ] as [(String, String?)]
  )
  func `an origin is a scheme and a host`(text: String, origin: String?) {
    #expect(PublicOrigin(text)?.text == origin)
  }

  @Test func `without a public URL only names of this machine are origins`() {
    let address = ListenAddress(host: "127.0.0.1", port: 8_080)
    #expect(PublicOrigin.local(host: "localhost:8080", listening: address) == "http://localhost:8080")
    #expect(PublicOrigin.local(host: "evil.example:8080", listening: address) == "http://127.0.0.1:8080")
    #expect(PublicOrigin.local(host: nil, listening: address) == "http://127.0.0.1:8080")
  }

  @Test func `a request's target is a path and a query`() {
    #expect(IncomingRequest.parts(of: "/a?b=c?d").path == "/a")
    #expect(IncomingRequest.parts(of: "/a?b=c?d").query == "b=c?d")
    #expect(IncomingRequest.parts(of: "http://host:80/a").path == "/a")
    #expect(IncomingRequest.parts(of: "https://host?b").path == "/")
    for target in ["", "a", "*", "/a#b", "ftp://a/b"] {
      #expect(IncomingRequest.parts(of: target).path == nil)
    }
  }

  @Test func `the date is that of HTTP`() {
    #expect(Instant(seconds: 784_111_777).headerText() == "Sun, 06 Nov 1994 08:49:37 GMT")
  }

  @Test func `connections are counted by network and in all`() {
    let limits = HTTPLimits(connectionsPerNetwork: 2, connections: 4)
    let register = ConnectionRegister(limits, trusted: [Network("10.0.0.1")].compactMap(\.self))
    let first = register.add("2001:db8::1")
    #expect(first != nil && register.add("2001:db8::2") != nil)
    #expect(register.add("2001:db8::3") == nil)
    #expect(register.add("2001:db8:0:1::3") != nil)
    #expect(register.add("10.0.0.1") != nil)
    #expect(register.isCrowded)
    #expect(register.add("10.0.0.1") == nil)
    if let first { register.remove(first) }
    #expect(register.add("2001:db8::3") != nil)
    #expect(register.total == 4)
  }

  @Test func `deadlines follow what the client owes`() {
    let limits = HTTPLimits()
    var clock = ExchangeClock(limits, now: start)
    #expect(clock.deadline()?.at == start + .seconds(10))
    clock.bytesArrived(5, now: start + .seconds(4))
    #expect(clock.deadline()?.at == start + .seconds(14))
    #expect(clock.deadline()?.expiry == .head)
    clock.headEnded(now: start + .seconds(5))
    #expect(clock.deadline()?.expiry == .body)
    clock.bodyArrived(16 * 1_024)
    #expect(clock.deadline()?.at == start + .seconds(26))
    clock.requestEnded(now: start + .seconds(6))
    // Only the server is awaited.
    #expect(clock.deadline() == nil)
    clock.writeBegan(0, now: start + .seconds(7))
    #expect(clock.deadline()?.expiry == .response)
    clock.responseEnded(now: start + .seconds(8))
    clock.writeEnded(now: start + .seconds(8))
    #expect(clock.deadline()?.at == start + .seconds(68))
    #expect(clock.deadline(isCrowded: true)?.at == start + .seconds(10))
    #expect(clock.deadline()?.expiry == .idle)
  }

  @Test func `a request behind another has its time once the other is answered`() {
    var clock = ExchangeClock(HTTPLimits(), now: start)
    clock.headEnded(now: start)
    clock.requestEnded(now: start)
    clock.bytesArrived(9, now: start + .seconds(1))
    #expect(clock.deadline() == nil)
    clock.headEnded(now: start + .seconds(1))
    #expect(clock.deadline() == nil)
    clock.responseEnded(now: start + .seconds(14))
    #expect(clock.deadline()?.at == start + .seconds(34))
  }

  @Test func `a handler's time begins again with each part of its body`() {
    let deadlines = HandlerDeadlines()
    let deadline = HandlerDeadline(.seconds(15))
    #expect(!deadline.isOver(at: .now))
    #expect(deadline.isOver(at: .now + .seconds(16)))
    let number = deadlines.add(deadline) {}
    deadlines.remove(number)
    deadlines.sweep(now: .now + .seconds(16))
  }
}
