/// The host of a URL or of a header field `Host`, with its port (RFC 3986, section 3.2): a name, an IPv4 address, or an
/// IPv6 address in brackets.
package struct URLAuthority: Sendable, Hashable {
  /// The host as written, an IPv6 address with its brackets.
  package let host: String
  /// The port; nil if the scheme's is meant.
  package let port: Int?

  /// Parses an authority; nil for other text, and for one with a user name.
  package init?(_ text: some StringProtocol) {
    let end: String.Index
    let text = String(text)
    if text.hasPrefix("[") {
      guard let bracket = text.firstIndex(of: "]") else { return nil }
      end = text.index(after: bracket)
      guard IPAddress(String(text[..<end].dropFirst().dropLast())) != nil else { return nil }
    } else {
      end = text.firstIndex(of: ":") ?? text.endIndex
      guard text[..<end].utf8.allSatisfy(Self.isOfName) else { return nil }
    }
    host = String(text[..<end])
    guard !host.isEmpty, host.utf8.count <= 255 else { return nil }
    let rest = text[end...]
    guard !rest.isEmpty else {
      port = nil
      return
    }
    let digits = rest.dropFirst()
    guard rest.hasPrefix(":"), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), digits.utf8.count <= 5,
      let number = Int(digits), (0...65_535).contains(number)
    else { return nil }
    port = number
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~".utf8.contains(byte)
    }
  }
}
