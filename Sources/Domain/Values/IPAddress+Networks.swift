extension IPAddress {
  /// The network that limits count as one client: an IPv4 address, or the first 64 bits of an IPv6 address, since
  /// one client has all addresses with them.
  package var limitedNetwork: String { bytes.count == 16 ? network(bits: 64) : text }

  /// The network of one site, whose limits are wider: the first 48 bits of an IPv6 address, which providers give to
  /// anybody. Nil for IPv4.
  package var siteNetwork: String? { bytes.count == 16 ? network(bits: 48) : nil }

  private func network(bits: Int) -> String {
    let kept = bits / 8
    let prefix = Array(bytes[..<kept]) + [UInt8](repeating: 0, count: 16 - kept)
    return (IPAddress(bytes: prefix)?.text ?? text) + "/\(bits)"
  }
}
