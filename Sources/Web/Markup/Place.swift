internal import Domain

/// A place of this server: a path and a query, percent-encoded.
package struct Place: Sendable, Hashable {
  /// The address as it is written in links and in `Location`.
  package let text: String

  /// - Parameters:
  ///   - segments: the parts of the path, not encoded; none for the root.
  ///   - query: the parameters in order.
  ///   - fragment: the id of the element to show; nil for the top of the page.
  package init(_ segments: [String], query: [(name: String, value: String)] = [], fragment: String? = nil) {
    var text = segments.isEmpty ? "/" : segments.map { "/" + $0.percentEncoded }.joined()
    if !query.isEmpty {
      text +=
        "?" + query.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "&")
    }
    if let fragment { text += "#" + fragment.percentEncoded }
    self.text = text
  }

  /// Returns the place one segment below one without a query.
  package func below(_ segment: String) -> Place { Place(text: "\(text)/\(segment.percentEncoded)") }

  private init(text: String) { self.text = text }

  /// Reads the address to go to after a sign-in; nil for anything but a page of this server. A browser takes `//host`
  /// and `/\host` for another server.
  package init?(returning text: String) {
    guard text.utf8.count <= 2_000, text.hasPrefix("/"), !text.hasPrefix("//"), !text.hasPrefix("/v1/"),
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") })
    else { return nil }
    self.text = text
  }
}
