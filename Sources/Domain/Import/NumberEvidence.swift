/// What the numbers of one column of a file say about the column's decimal sign.
package struct NumberEvidence: Sendable {
  /// A value of the column.
  private struct Seen: Sendable {
    let line: Int
    let text: String
  }

  private let thousands: ThousandsSign?
  /// The first value with a decimal point for certain, the first with a decimal comma, and the first that can
  /// be read both ways.
  private var point: Seen?
  private var comma: Seen?
  private var either: (seen: Seen, point: String, comma: String)?
  private var currency: (name: String, seen: Seen)?
  private var other: (name: String, seen: Seen)?

  /// - Parameter thousands: the stated sign between thousands; nil if none was stated.
  package init(thousands: ThousandsSign? = nil) {
    self.thousands = thousands
  }

  /// True if a value has a currency.
  package var hasCurrency: Bool { currency != nil }

  /// Takes a value of the column. Values that are not numbers say nothing.
  package mutating func take(_ text: String, line: Int) {
    if PlainNumber.saysNothing(text, isPointKnown: point != nil) { return }
    guard let number = try? WrittenNumber(parsing: text) else { return }  // refused when the line is read
    let seen = Seen(line: line, text: text)
    if let name = number.currency {
      if let currency {
        if currency.name != name, other == nil { other = (name, seen) }
      } else {
        currency = (name, seen)
      }
    }
    let withPoint = number.value(decimal: .point, thousands: thousands)
    let withComma = number.value(decimal: .comma, thousands: thousands)
    switch (withPoint, withComma) {
    case (let left?, let right?): if left != right, either == nil { either = (seen, left, right) }
    case (.some, nil): point = point ?? seen
    case (nil, .some): comma = comma ?? seen
    case (nil, nil): break
    }
  }

  /// Returns the decimal sign of the column: the stated one, or the one that all values allow.
  ///
  /// - Parameter name: the name of the column, for messages.
  /// - Throws: `invalid_import` if values contradict each other, if all can be read both ways, or if there are
  ///   several currencies.
  package func decimal(stated: DecimalSign?, of name: String) throws(DomainError) -> DecimalSign {
    if let currency, let other {
      throw DomainError(
        .invalidImport,
        "\(name): line \(currency.seen.line) is an amount in \(currency.name), line \(other.seen.line) in \(other.name)",
        hint: "import one currency at a time",
        details: ["lines": [.integer(currency.seen.line), .integer(other.seen.line)]]
      )
    }
    if let stated { return stated }
    let hint = "state it with `--decimal comma` or `--decimal point`"
    if let point, let comma {
      throw DomainError(
        .invalidImport,
        "\(name): line \(comma.line) has a decimal comma (\(Quoted(comma.text))), line \(point.line) a decimal point"
          + " (\(Quoted(point.text)))",
        hint: "\(hint); lines in the other notation are then refused",
        details: ["lines": [.integer(comma.line), .integer(point.line)]]
      )
    }
    if point != nil { return .point }
    if comma != nil { return .comma }
    guard let either else { return .point }
    throw DomainError(
      .invalidImport,
      "\(name): \(Quoted(either.seen.text)) in line \(either.seen.line) can be \(either.point) with a decimal point, or"
        + " \(either.comma) with a decimal comma",
      hint: hint,
      details: ["lines": [.integer(either.seen.line)]]
    )
  }
}
