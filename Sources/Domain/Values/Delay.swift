/// A duration in ISO 8601 notation, such as `P7D` or `PT72H`.
///
/// A day has 24 hours and a week seven days. Years and months are not accepted, because their length depends
/// on the date.
package struct Delay: Sendable, Hashable {
  /// The duration as written.
  package let text: String

  /// The length in microseconds, zero or more.
  package let microseconds: Int64

  /// Parses weeks, days, hours, minutes and whole seconds, each at most once and in this order.
  ///
  /// - Throws: `invalid_duration`, also for more than 3,200,000,000 seconds, about a hundred years.
  package init(parsing text: String) throws(DomainError) {
    guard let seconds = Self.seconds(in: text), seconds <= 3_200_000_000 else {
      throw DomainError(
        .invalidDuration,
        "\(Quoted(text)) is not a duration such as P7D or PT72H"
      )
    }
    self.text = text
    self.microseconds = seconds * 1_000_000
  }

  private static func seconds(in text: String) -> Int64? {
    guard text.first == "P", text.utf8.count <= 40 else { return nil }
    let halves = text.dropFirst().split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
    guard halves.count == 1 || !halves[1].isEmpty, text.utf8.count > 1 else { return nil }
    var total: Int64 = 0
    let units: [[(unit: Character, seconds: Int64)]] = [
      [("W", 604_800), ("D", 86_400)], [("H", 3_600), ("M", 60), ("S", 1)],
    ]
    for (half, allowed) in zip(halves, units) {
      var remaining = allowed[...]
      var digits = ""
      for character in half {
        if character.isASCII, character.isNumber {
          digits.append(character)
          continue
        }
        guard let count = Int64(digits), digits.count <= 9 else { return nil }
        guard let index = remaining.firstIndex(where: { $0.unit == character }) else { return nil }
        total += count * remaining[index].seconds
        remaining = remaining[(index + 1)...]
        digits = ""
      }
      guard digits.isEmpty else { return nil }
    }
    return total
  }
}

extension Delay: Codable, CustomStringConvertible {
  /// The duration as written.
  package var description: String { text }

  /// Decodes the notation from a string.
  package init(from decoder: any Decoder) throws {
    try self.init(parsing: decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes the duration as written.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
