internal import Domain

/// The origin under which clients reach the server, for links, cookies and the check of `Origin`.
package struct PublicOrigin: Sendable, Hashable {
  /// The scheme, host and port, such as `https://fettle.example`.
  package let text: String

  /// True if clients use TLS.
  package var isSecure: Bool { text.hasPrefix("https://") }

  /// Parses an origin, with or without a final slash; nil for other text, and for one with a path.
  package init?(_ text: String) {
    var text = text.lowercased()
    if text.hasSuffix("/") { text.removeLast() }
    guard let scheme = ["https://", "http://"].first(where: text.hasPrefix) else { return nil }
    let authority = text.dropFirst(scheme.count)
    guard !authority.isEmpty,
      authority.utf8.allSatisfy({ byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-.:[]".utf8.contains(byte)
        }
      })
    else { return nil }
    self.text = text
  }

  /// Returns the origin of a request to a server without a public URL, which only this machine reaches.
  ///
  /// A host that is not a name of this machine is ignored. Otherwise a foreign name that resolves to this machine would
  /// be trusted.
  static func local(host: String?, listening: ListenAddress) -> String {
    if let host, let authority = URLAuthority(host), LocalHost.isNamed(by: authority.host) {
      return "http://" + host.lowercased()
    }
    return "http://\(listening)"
  }
}
