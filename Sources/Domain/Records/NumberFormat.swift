/// The format of the numbers of records: a prefix and a counter, such as `WO-{n}` for `WO-1007`.
///
/// The prefix begins with a letter and does not end with a digit. A number therefore never looks like an id,
/// and splits into prefix and counter in one way. Letters are upper case, because people may type numbers in
/// upper or lower case.
package struct NumberFormat: Sendable, Hashable {
  /// The text before the counter.
  package let prefix: String

  /// The maximum length of a prefix in characters.
  package static let longestPrefix = 16

  /// Parses a format.
  ///
  /// - Throws: `invalid_input` for a text that is not a prefix followed by `{n}`.
  package init(_ text: String) throws(DomainError) {
    let prefix = String(text.dropLast(3))
    let scalars = prefix.unicodeScalars
    guard text.hasSuffix("{n}"), (1...Self.longestPrefix).contains(scalars.count),
      let first = scalars.first, ("A"..."Z").contains(first),
      let last = scalars.last, !("0"..."9").contains(last),
      scalars.allSatisfy(Self.allows)
    else {
      throw DomainError(
        .invalidInput,
        "\(Quoted(text)) is not a number format",
        hint:
          "write a prefix of A-Z, 0-9 and . _ / - that begins with a letter and does not end with a digit, "
          + "then {n}: WO-{n}"
      )
    }
    self.prefix = prefix
  }

  private static func allows(_ scalar: Unicode.Scalar) -> Bool {
    ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar) || "._/-".unicodeScalars.contains(scalar)
  }

  /// The format as text, such as `WO-{n}`.
  package var text: String { "\(prefix){n}" }

  /// Returns the number of a record with a counter.
  package func number(_ counter: Int64) -> String { "\(prefix)\(counter)" }

  /// Returns the counter at the end of a number in any format.
  ///
  /// Nil if the text is only digits, has none at its end, or if the counter begins with zero or exceeds 64
  /// bits.
  package static func counter(in text: String) -> Int64? {
    let digits = text.reversed().prefix { ("0"..."9").contains($0) }.reversed()
    guard digits.count < text.count, let first = digits.first, first != "0" else { return nil }
    return Int64(String(digits))
  }
}

/// The numbering of a type's records.
///
/// Each company counts separately. Gaps occur if a command is rolled back, or if an import does not use all
/// numbers that it reserved.
package struct NumberRule: Sendable, Hashable {
  /// The format of companies that have not chosen their own.
  package let format: NumberFormat
  /// The first counter in a company.
  package let start: Int64

  /// The columns of the type's table for the number and for its counter.
  package static let columns = ["number", "number_seq"]
}

extension NumberRule: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case format, start
  }

  package init(from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: CodingKeys.allCases.map(\.rawValue))
    let text: String = try object.required("format")
    do {
      format = try NumberFormat(text)
    } catch {
      throw object.invalid("format", error.message, hint: error.hint)
    }
    start = try object.value("start", default: 1)
    guard (1...1_000_000_000_000).contains(start) else {
      throw object.invalid("start", "start must be 1 to 1000000000000, not \(start)")
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(format.text, forKey: .format)
    try container.encode(start, forKey: .start)
  }
}
