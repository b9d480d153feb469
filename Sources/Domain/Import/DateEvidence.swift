/// What the dates of one column of a file say about the order of day and month.
package struct DateEvidence: Sendable {
  /// A value of the column.
  private struct Seen: Sendable {
    let line: Int
    let text: String
  }

  private var dayFirst: Seen?
  private var monthFirst: Seen?
  private var either: (seen: Seen, day: LocalDate, month: LocalDate)?
  /// True if a date is the same in both orders, such as 05/05/2026.
  private var hasSame = false
  /// The first date with a year of two digits.
  private var short: Seen?
  /// The instants of dates with a time of day and an offset.
  package private(set) var instants: Set<Instant> = []

  package init() {}

  /// Takes a value of the column. Values that are not dates say nothing.
  package mutating func take(_ text: String, line: Int) {
    if text.utf8.count == 10, LocalDate(iso: text) != nil { return }
    guard let date = WrittenDate(parsing: text) else { return }
    if let instant = date.instant { instants.insert(instant) }
    let seen = Seen(line: line, text: text)
    if date.isShort, short == nil { short = seen }
    let byDay = date.date(DateFormat(order: .dayFirst))
    let byMonth = date.date(DateFormat(order: .monthFirst))
    switch (byDay, byMonth) {
    case (let day?, let month?):
      if day == month { hasSame = true } else { either = either ?? (seen, day, month) }
    case (.some, nil): dayFirst = dayFirst ?? seen
    case (nil, .some): monthFirst = monthFirst ?? seen
    case (nil, nil): break
    }
  }

  /// Returns the format of the column: the stated one, or the one that all values allow; nil if all dates have
  /// the year first.
  ///
  /// - Parameter name: the name of the column, for messages.
  /// - Throws: `invalid_import` if values contradict each other, or all can be read both ways.
  package func format(stated: DateFormat?, of name: String) throws(DomainError) -> DateFormat? {
    if let stated { return stated }
    if let short {
      throw Self.refusal(
        "\(name): \(Quoted(short.text)) in line \(short.line) has a year of two digits",
        hint: "state the format, such as `--date-format dd/mm/yy`",
        [short.line]
      )
    }
    // In the signs of the file: 03.04.2026 is stated as dd.mm.yyyy.
    let sign =
      [dayFirst?.text, monthFirst?.text, either?.seen.text].compactMap { $0 }.first?
      .first { !$0.isNumber } ?? "/"
    let forms = [["dd", "mm", "yyyy"], ["mm", "dd", "yyyy"]].map { $0.joined(separator: String(sign)) }
    let hint = "state it with `--date-format \(forms[0])` or `--date-format \(forms[1])`"
    if let dayFirst, let monthFirst {
      throw Self.refusal(
        "\(name): line \(dayFirst.line) has the day first (\(Quoted(dayFirst.text))), line \(monthFirst.line) the month"
          + " first (\(Quoted(monthFirst.text)))",
        hint: "\(hint); lines in the other order are then refused",
        [dayFirst.line, monthFirst.line]
      )
    }
    if dayFirst != nil { return DateFormat(order: .dayFirst) }
    if monthFirst != nil { return DateFormat(order: .monthFirst) }
    guard let either else { return hasSame ? DateFormat(order: .dayFirst) : nil }
    throw Self.refusal(
      "\(name): \(Quoted(either.seen.text)) in line \(either.seen.line) can be \(either.day) with the day first, or"
        + " \(either.month) with the month first",
      hint: hint,
      [either.seen.line]
    )
  }

  private static func refusal(_ message: String, hint: String, _ lines: [Int]) -> DomainError {
    DomainError(.invalidImport, message, hint: hint, details: ["lines": .array(lines.map { .integer($0) })])
  }
}
