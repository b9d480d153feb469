/// Where a process listens for those who watch it.
package struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
  package let host: String
  /// 0: any that is free.
  package let port: Int

  /// Reads `9464`, `127.0.0.1:9464`, `[::1]:9464` or `host:9464`; without a host it is the loopback.
  ///
  /// - Returns: nil when it is none of these.
  package init?(_ text: String) {
    let host: Substring
    let port: Substring
    if let colon = text.lastIndex(of: ":") {
      (host, port) = (text[..<colon], text[text.index(after: colon)...])
    } else {
      (host, port) = ("127.0.0.1", text[...])
    }
    guard !port.isEmpty, port.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(port),
      (0...65_535).contains(number)
    else { return nil }
    if host.hasPrefix("["), host.hasSuffix("]") {
      self.host = String(host.dropFirst().dropLast())
    } else {
      // Without brackets nobody can tell where an address of version 6 ends.
      guard !host.isEmpty, !host.contains(where: { $0 == ":" || $0 == "[" || $0 == "]" || $0.isWhitespace })
      else { return nil }
      self.host = String(host)
    }
    guard !self.host.isEmpty else { return nil }
    self.port = number
  }

  /// Whether nobody but this machine reaches it.
  package var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
