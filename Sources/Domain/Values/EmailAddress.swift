/// An e-mail address as written. Addresses that differ only in case are equal.
///
/// Only the syntax is checked, not whether the address exists.
package struct EmailAddress: Sendable {
  /// The address as written, without white space at its ends.
  package let text: String

  /// The address in lower case, by which addresses are compared.
  package let key: String

  /// Parses an address of at most 254 bytes: a mailbox, one `@`, and a host name with a dot. White space at
  /// the ends is removed.
  ///
  /// - Throws: `invalid_email`.
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
    if text.unicodeScalars.contains(where: isLookAlike) {
      return "it has a character that looks like a letter a-z"
    }
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return "it needs exactly one @" }
    let (mailbox, host) = (parts[0], parts[1])
    if mailbox.isEmpty || mailbox.utf8.count > 64 { return "the part before the @ has 1 to 64 bytes" }
    if mailbox.hasPrefix(".") || mailbox.hasSuffix(".") || mailbox.contains("..") {
      return "the dots before the @ are misplaced"
    }
    if mailbox.contains(where: { "\"(),:;<>[\\]".contains($0) }) {
      return "it has one of the reserved characters \"(),:;<>[\\]"
    }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count >= 2 else { return "the host has no dot" }
    guard labels.allSatisfy(isHostLabel) else { return "the host is not a host name" }
    guard labels.last?.contains(where: \.isLetter) == true else { return "the host is a number" }
    return nil
  }

  /// True for a character whose lower case is a letter of ASCII, such as the Kelvin sign. An address with it would equal
  /// another person's.
  private static func isLookAlike(_ scalar: Unicode.Scalar) -> Bool {
    !scalar.isASCII
      && scalar.properties.lowercaseMapping.unicodeScalars.contains {
        $0.isASCII && $0.properties.isAlphabetic
      }
  }

  private static func isHostLabel(_ label: Substring) -> Bool {
    (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
      && label.unicodeScalars.allSatisfy {
        $0 == "-" || $0.properties.isAlphabetic || $0.properties.numericType != nil
      }
  }
}

extension EmailAddress: Hashable {
  /// True if the addresses are equal, ignoring case.
  package static func == (left: EmailAddress, right: EmailAddress) -> Bool { left.key == right.key }

  /// Hashes the address, ignoring case.
  package func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension EmailAddress: Codable, CustomStringConvertible {
  /// The address as written.
  package var description: String { text }

  /// Decodes an address from a string.
  package init(from decoder: any Decoder) throws {
    try self.init(parsing: decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes the address as written.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
