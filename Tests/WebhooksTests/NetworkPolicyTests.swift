import Domain
import Testing

@testable import Webhooks

@Suite struct NetworkPolicyTests {
  @Test(
    arguments: [
      "127.0.0.1", "127.255.255.254", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
      "169.254.169.254", "100.64.0.1", "100.127.255.255", "192.0.0.8", "192.0.2.1", "198.18.0.1",
      "198.19.255.255",
      "198.51.100.7", "203.0.113.7", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
      "::", "::1", "fe80::1", "febf::1", "fec0::1", "fc00::1", "fd12::1", "ff02::1", "2001:db8::1", "2001::1",
      "3fff::1", "100::1", "64:ff9b:1::1", "::10.0.0.1",
      "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:10.0.0.1", "64:ff9b::7f00:1",
      "64:ff9b::a9fe:a9fe",
      "2002:7f00:1::", "2002:a00:1::",
    ]
  )
  func `non-public addresses are refused in every notation`(text: String) throws {
    #expect(!NetworkPolicy.publicOnly.allows(try #require(IPAddress(text))))
  }

  @Test(
    arguments: [
      "1.1.1.1", "9.255.255.255", "11.0.0.0", "126.255.255.255", "128.0.0.1", "172.15.255.255", "172.32.0.0",
      "100.63.255.255", "100.128.0.0", "169.253.255.255", "169.255.0.0", "223.255.255.255", "198.17.255.255",
      "2606:4700::1111", "2a00::1", "::ffff:1.1.1.1", "64:ff9b::101:101", "2002:101:101::",
    ]
  )
  func `public addresses are allowed up to the boundaries`(text: String) throws {
    #expect(NetworkPolicy.publicOnly.allows(try #require(IPAddress(text))))
  }

  @Test func `an operator opens single networks, or the private ones but never metadata`() throws {
    let network = try #require(Network("10.1.0.0/20"))
    let policy = NetworkPolicy(allowing: [network])
    #expect(policy.allows(try #require(IPAddress("10.1.15.255"))))
    #expect(policy.allows(try #require(IPAddress("::ffff:10.1.0.1"))))
    #expect(!policy.allows(try #require(IPAddress("10.1.16.0"))))
    for text in ["127.0.0.1", "::1", "10.0.0.1", "fd00::1"] {
      #expect(NetworkPolicy.publicAndPrivate.allows(try #require(IPAddress(text))))
    }
    for text in ["169.254.169.254", "fe80::1", "0.0.0.0", "::", "224.0.0.1"] {
      #expect(!NetworkPolicy.publicAndPrivate.allows(try #require(IPAddress(text))))
    }
  }

  @Test(arguments: ["10.0.0.0/33", "10.0.0.0/-1", "10.0.0/8", "10.0.0.0/8/8", "", "/8", "::/129", "host/8"])
  func `text that is not a network is refused`(text: String) {
    #expect(Network(text) == nil)
  }
}
