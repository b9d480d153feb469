/// Base32 (RFC 4648) without padding, the alphabet in which people type secrets.
package enum Base32 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  /// Returns the bytes as text; five bytes become eight characters.
  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    var bits: UInt32 = 0
    var pending = 0
    for byte in bytes {
      bits = (bits & 0x1F) << 8 | UInt32(byte)
      pending += 8
      while pending >= 5 {
        pending -= 5
        text.append(digits[Int(bits >> UInt32(pending) & 0x1F)])
      }
    }
    if pending > 0 { text.append(digits[Int(bits << UInt32(5 - pending) & 0x1F)]) }
    return String(decoding: text, as: UTF8.self)
  }
}
