internal import Domain

/// Finds the address of a client behind proxies.
struct ClientAddress: Sendable {
  private let trusted: [Network]

  /// - Parameter trusted: the proxies whose `X-Forwarded-For` is believed.
  init(trusted: [Network]) {
    self.trusted = trusted
  }

  /// Returns the address of the client: that of the connection, or, if that is a trusted proxy, the last
  /// address in `X-Forwarded-For` that is not one. A client can write anything before that.
  ///
  /// - Parameters:
  ///   - peer: the address of the connection.
  ///   - forwarded: the values of `X-Forwarded-For`, in order.
  func find(peer: String, forwarded: [String]) -> String {
    guard let address = IPAddress(peer) else { return peer }
    guard isTrusted(address) else { return address.text }
    var client = address
    for text in forwarded.joined(separator: ",").split(separator: ",").reversed() {
      // Text that is no address was not written by a proxy that can be trusted to name its client.
      guard let next = Self.parse(text) else { break }
      client = next
      if !isTrusted(next) { break }
    }
    return client.text
  }

  private func isTrusted(_ address: IPAddress) -> Bool { trusted.contains { $0.contains(address) } }

  /// Parses an entry: an address, perhaps in brackets and with a port.
  private static func parse(_ text: Substring) -> IPAddress? {
    let text = String(text.filter { !$0.isWhitespace })
    if let address = IPAddress(text) { return address }
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      return IPAddress(String(text[text.index(after: text.startIndex)..<end]))
    }
    return text.lastIndex(of: ":").flatMap { IPAddress(String(text[..<$0])) }
  }
}
