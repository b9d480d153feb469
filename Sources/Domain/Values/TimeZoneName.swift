/// The name of a time zone, such as `Europe/Stockholm` or `UTC`.
///
/// Only the syntax is checked here; PostgreSQL decides whether the zone exists. A former name becomes the canonical one.
package struct TimeZoneName: Sendable, Hashable {
  /// The name.
  package let text: String

  /// Parses one to three words joined by slashes, at most 64 bytes.
  ///
  /// Files of the time zone database that are no zones are not accepted: `posixrules` and `localtime` differ
  /// between servers, `Factory` stands for no zone, and `posix/` and `right/` contain copies.
  ///
  /// Offsets and POSIX rules such as `UTC+2` are not accepted: their sign is inverted, and they have no
  /// daylight saving time.
  ///
  /// - Throws: `invalid_time_zone`.
  package init(parsing given: String) throws(DomainError) {
    let text = Self.canonical(given)
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let isShaped = (1...3).contains(parts.count) && text.utf8.count <= 64 && parts.allSatisfy(Self.isPart)
    guard isShaped, !Self.isFileAlone(parts), parts.count > 1 || !text.contains(where: \.isNumber) else {
      throw DomainError(.invalidTimeZone, "\(Quoted(text)) is not the name of a time zone")
    }
    self.text = text
  }

  /// True if PostgreSQL lists the name as a zone only because there is a file of that name.
  private static func isFileAlone(_ parts: [Substring]) -> Bool {
    let first = parts[0].lowercased()
    return parts.count == 1
      ? ["posixrules", "localtime", "factory", "leapseconds"].contains(first)
      : ["posix", "right", "systemv"].contains(first)
  }

  private static func isPart(_ part: Substring) -> Bool {
    guard let first = part.utf8.first, (0x41...0x5A).contains(first) || (0x61...0x7A).contains(first) else {
      return false
    }
    return part.utf8.allSatisfy {
      (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || (0x30...0x39).contains($0)
        || "_-+".utf8.contains($0)
    }
  }
}

extension TimeZoneName: Codable, CustomStringConvertible {
  /// The name.
  package var description: String { text }

  /// Decodes a name from a string.
  ///
  /// - Throws: `invalid_time_zone`.
  package init(from decoder: any Decoder) throws {
    try self.init(parsing: decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes the name as a string.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
