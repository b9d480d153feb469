internal import Glibc

/// An IPv4 or IPv6 address. An IPv6 address that embeds an IPv4 address is stored as that IPv4 address.
package struct IPAddress: Sendable, Equatable {
  /// The 4 or 16 bytes in network order.
  package let bytes: [UInt8]

  /// Creates an address from its 4 or 16 bytes; nil for another number of bytes.
  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    let bytes = Array(bytes)
    self.bytes = Self.embedded(in: bytes) ?? bytes
  }

  /// Parses an address in its usual text form; nil for other text.
  package init?(_ text: String) {
    var v4 = [UInt8](repeating: 0, count: 4)
    var v6 = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET, text, &v4) == 1 {
      self.init(bytes: v4)
    } else if inet_pton(AF_INET6, text, &v6) == 1 {
      self.init(bytes: v6)
    } else {
      return nil
    }
  }

  /// The address in its usual text form.
  package var text: String {
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard inet_ntop(family, bytes, &buffer, socklen_t(buffer.count)) != nil else { return "" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Returns the IPv4 address that packets to an IPv6 address would reach: mapped (::ffff:0:0/96), translated
  /// (64:ff9b::/96) or 6to4 (2002::/16). Nil if there is none.
  private static func embedded(in bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count == 16 else { return nil }
    let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
    let translated: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
    if bytes.starts(with: mapped) || bytes.starts(with: translated) { return Array(bytes[12...]) }
    return bytes.starts(with: [0x20, 0x02]) ? Array(bytes[2..<6]) : nil
  }
}

/// A network: all addresses with the same prefix, as in `10.0.0.0/8`.
package struct Network: Sendable, Equatable {
  private let address: IPAddress
  private let bits: Int

  /// Parses a network; nil for other text. A single address is a network of one address.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let address = IPAddress(String(parts[0])) else { return nil }
    let all = address.bytes.count * 8
    guard let bits = parts.count == 2 ? Int(parts[1]) : all, (0...all).contains(bits) else { return nil }
    self.address = address
    self.bits = bits
  }

  /// True if the address is in the network.
  package func contains(_ other: IPAddress) -> Bool {
    guard other.bytes.count == address.bytes.count else { return false }
    let whole = bits / 8
    guard other.bytes[..<whole] == address.bytes[..<whole] else { return false }
    let rest = bits % 8
    return rest == 0 || (other.bytes[whole] ^ address.bytes[whole]) >> UInt8(8 - rest) == 0
  }
}
