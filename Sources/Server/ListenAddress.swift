internal import Domain

/// The address of the HTTP endpoint for metrics and health checks.
package struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
  package let host: String
  /// The TCP port; 0 selects any free port.
  package let port: Int

  package init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// Parses `9464`, `127.0.0.1:9464`, `[::1]:9464` or `host:9464`; nil for other text. The default host is
  /// 127.0.0.1.
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
      // An IPv6 address needs brackets, because its end would be ambiguous.
      guard !host.isEmpty, !host.contains(where: { $0 == ":" || $0 == "[" || $0 == "]" || $0.isWhitespace })
      else { return nil }
      self.host = String(host)
    }
    guard !self.host.isEmpty else { return nil }
    self.port = number
  }

  /// True if only this machine can reach the address.
  package var isLoopback: Bool { LocalHost.isNamed(by: host) }

  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
