/// The format of record numbers: a prefix and a counter, such as `WO-{n}` for `WO-1007`.
///
/// The prefix begins with a letter and does not end in a digit, so that a number is never mistaken for an id
/// and always splits into the same prefix and counter. Letters are capitals: people may type them in any
/// case.
package struct NumberFormat: Sendable, Hashable {
  /// The text before the counter.
  package let prefix: String

  /// The longest prefix, in characters.
  package static let longestPrefix = 16

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
          "write a prefix of capital letters, digits and . _ / - that starts with a letter and ends in no digit, "
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

  /// Returns the number with a counter.
  package func number(_ counter: Int64) -> String { "\(prefix)\(counter)" }

  /// Returns the counter of a text that looks like a number in any format; nil for other texts.
  package static func counter(in text: String) -> Int64? {
    let digits = text.reversed().prefix { ("0"..."9").contains($0) }.reversed()
    guard digits.count < text.count, let first = digits.first, first != "0" else { return nil }
    return Int64(String(digits))
  }
}

/// The numbering of the records of a type.
///
/// Numbers count up in each company. A rolled back command and the unused rest of an import's block leave
/// gaps.
package struct NumberRule: Sendable, Hashable {
  /// The default format, unless a company sets its own.
  package let format: NumberFormat
  /// The first counter of a company.
  package let start: Int64

  /// The columns of the type's table that hold a number: its text, and its counter.
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
      throw object.invalid("start", "\(start) cannot be a first number", hint: "Write 1 to 1000000000000.")
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(format.text, forKey: .format)
    try container.encode(start, forKey: .start)
  }
}
