/// An e-mail address. The spellings of one address are equal: upper and lower case, the two spellings of an
/// international domain, and the two ways in which Unicode writes a letter with an accent.
///
/// Only the syntax is checked, not whether the address exists.
package struct EmailAddress: Sendable {
  /// The address in the spelling for people, without white space at its ends. The case of ASCII is as written.
  package let text: String

  /// The address in lower case, by which addresses are compared. PostgreSQL computes the same from ``text``.
  package let key: String

  /// The address with the domain in ASCII, to which mail is sent. The part before the `@` can have other letters.
  package let mailbox: String

  /// Parses an address of at most 254 bytes: a mailbox, one `@`, and a host name with a dot. White space at
  /// the ends is removed.
  ///
  /// - Throws: `invalid_email`.
  package init(parsing input: String) throws(DomainError) {
    func refusal(_ problem: String) -> DomainError {
      DomainError(.invalidEmail, "\(Quoted(input)) is not an e-mail address: \(problem)")
    }
    let trimmed = input.trimmingSpaces()
    if let problem = Self.problem(in: trimmed) { throw refusal(problem) }
    let parts = trimmed.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2 else { throw refusal("it needs exactly one @") }
    let local = Self.canonical(parts[0])
    if let problem = Self.problem(inMailbox: local) { throw refusal(problem) }
    guard parts[1].contains(".") || !parts[1].utf8.allSatisfy({ $0 < 0x80 }) else {
      throw refusal("the host has no dot")
    }
    guard let host = HostName(parts[1]) else { throw refusal("the host is not a host name") }
    text = "\(local)@\(host.text)"
    key = text.lowercased()
    mailbox = "\(local)@\(host.ascii)"
    guard max(text.utf8.count, mailbox.utf8.count) <= 254 else {
      throw refusal("it is longer than 254 bytes")
    }
  }

  /// Returns the key of the account that a handle names: an address, or the part of one before the `@`.
  package static func key(ofHandle handle: String) -> String {
    (try? EmailAddress(parsing: handle))?.key ?? canonical(handle[...]).lowercased()
  }

  /// Returns the part before the `@` in one form. Letters outside ASCII are in lower case, so that PostgreSQL has nothing
  /// to convert: its rules depend on the locale of the database.
  private static func canonical(_ local: Substring) -> String {
    let composed = String(local).composed
    return composed.utf8.allSatisfy { $0 < 0x80 } ? composed : composed.lowercased().composed
  }

  private static func problem(in text: String) -> String? {
    if text.isEmpty { return "it is empty" }
    if text.utf8.count > 1_000 { return "it is longer than 254 bytes" }
    if text.unicodeScalars.contains(where: { $0.isUnsafeInText || $0.properties.isWhitespace }) {
      return "it has spaces or invisible characters"
    }
    if text.unicodeScalars.contains(where: isLookAlike) {
      return "it has a character that looks like a letter a-z"
    }
    return nil
  }

  private static func problem(inMailbox local: String) -> String? {
    if local.isEmpty || local.utf8.count > 64 { return "the part before the @ has 1 to 64 bytes" }
    if local.hasPrefix(".") || local.hasSuffix(".") || local.contains("..") {
      return "the dots before the @ are misplaced"
    }
    if local.contains(where: { "\"(),:;<>[\\]".contains($0) }) {
      return "it has one of the reserved characters \"(),:;<>[\\]"
    }
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
}

extension EmailAddress: Hashable {
  /// True if the addresses are spellings of one.
  package static func == (left: EmailAddress, right: EmailAddress) -> Bool { left.key == right.key }

  /// Hashes the address, in one of its spellings.
  package func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension EmailAddress: Codable, CustomStringConvertible {
  /// The address in the spelling for people.
  package var description: String { text }

  /// Decodes an address from a string.
  package init(from decoder: any Decoder) throws {
    try self.init(parsing: decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes the address in the spelling for people.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
