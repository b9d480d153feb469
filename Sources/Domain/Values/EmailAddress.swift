/// An e-mail address as written, with a key that makes it unique.
///
/// Checks the syntax only, not whether the address exists.
package struct EmailAddress: Sendable {
  /// The address as written, without surrounding space.
  package let text: String

  /// The address in lower case, so that addresses that differ in case are equal.
  package let key: String

  /// Parses an address of at most 254 bytes: a mailbox, one `@`, and a host name with a dot.
  ///
  /// - Throws: `invalid_email`, also for spaces and line breaks within the address.
  package init(parsing input: String) throws(DomainError) {
    let text = input.trimmingSpaces()
    if let problem = Self.problem(in: text) {
      throw DomainError(.invalidEmail, "\(Quoted(input)) is not an e-mail address: \(problem)")
    }
    self.text = text
    key = text.lowercased()
  }

  private static func problem(in text: String) -> String? {
    if text.isEmpty { return "it is empty" }
    if text.utf8.count > 254 { return "it is longer than 254 bytes" }
    if text.unicodeScalars.contains(where: { $0.isUnsafeInText || $0.properties.isWhitespace }) {
      return "it has spaces or invisible characters"
    }
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return "it needs exactly one @" }
    let (mailbox, host) = (parts[0], parts[1])
    if mailbox.isEmpty || mailbox.utf8.count > 64 { return "the part before the @ has 1 to 64 bytes" }
    if mailbox.hasPrefix(".") || mailbox.hasSuffix(".") || mailbox.contains("..") {
      return "the dots before the @ are misplaced"
    }
    if mailbox.contains(where: { "\"(),:;<>[\\]".contains($0) }) {
      return "it has a character that mail reserves"
    }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count >= 2 else { return "the host has no dot" }
    guard labels.allSatisfy(isHostLabel) else { return "the host is not a host name" }
    guard labels.last?.contains(where: \.isLetter) == true else { return "the host is a number" }
    return nil
  }

  private static func isHostLabel(_ label: Substring) -> Bool {
    (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
      && label.unicodeScalars.allSatisfy {
        $0 == "-" || $0.properties.isAlphabetic || $0.properties.numericType != nil
      }
  }
}

extension EmailAddress: Hashable {
  /// Compares without regard to case.
  package static func == (left: EmailAddress, right: EmailAddress) -> Bool { left.key == right.key }

  /// Hashes without regard to case.
  package func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension EmailAddress: Codable, CustomStringConvertible {
  /// The address as written.
  package var description: String { text }

  /// Reads the address from text.
  package init(from decoder: any Decoder) throws {
    try self.init(parsing: decoder.singleValueContainer().decode(String.self))
  }

  /// Writes the address as text.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
