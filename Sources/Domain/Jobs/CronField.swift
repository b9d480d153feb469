/// One of the five fields of a cron expression, as the set of the numbers that match.
struct CronField: Sendable, Hashable {
  /// The unit of a field.
  enum Unit: String, Sendable, CaseIterable {
    case minute
    case hour
    case day = "day of the month"
    case month
    case weekday = "day of the week"

    /// The valid numbers. Sunday is both 0 and 7.
    var range: ClosedRange<Int> {
      switch self {
      case .minute: 0...59
      case .hour: 0...23
      case .day: 1...31
      case .month: 1...12
      case .weekday: 0...7
      }
    }

    /// The names of the numbers, from the lowest number up; empty for units without names.
    var names: [String] {
      switch self {
      case .month: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
      case .weekday: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
      default: []
      }
    }
  }

  /// The numbers that match, in ascending order. Sunday is 0.
  let values: [Int]
  /// True if the field begins with `*`.
  let isStar: Bool

  /// Parses `*`, `5`, `1-5`, `*/15`, `8-18/2`, names, and lists of these.
  ///
  /// - Throws: ``CronFault`` with the reason.
  init(_ text: Substring, _ unit: Unit) throws(CronFault) {
    var values: Set<Int> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let halves = part.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      let range = try Self.range(halves.first ?? "", unit)
      var step = 1
      if halves.count == 2 {
        guard halves[0].contains("-") || halves[0] == "*" else {
          throw CronFault("a step requires * or a range before it: \(Quoted(String(part)))")
        }
        guard let number = Self.number(halves[1]), number >= 1 else {
          throw CronFault("\(Quoted(String(halves[1]))) is not a step")
        }
        step = number
      }
      values.formUnion(stride(from: range.lowerBound, through: range.upperBound, by: step))
    }
    if unit == .weekday, values.remove(7) != nil { values.insert(0) }
    self.values = values.sorted()
    isStar = text.first == "*"
  }

  private static func range(_ text: Substring, _ unit: Unit) throws(CronFault) -> ClosedRange<Int> {
    if text == "*" { return unit == .weekday ? 0...6 : unit.range }
    let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    let first = try value(ends.first ?? "", unit)
    guard ends.count == 2 else { return first...first }
    var last = try value(ends[1], unit)
    if unit == .weekday, last == 0, first > 0 { last = 7 }  // fri-sun
    guard first <= last else { throw CronFault("\(Quoted(String(text))) ends before it begins") }
    return first...last
  }

  private static func value(_ text: Substring, _ unit: Unit) throws(CronFault) -> Int {
    if let index = unit.names.firstIndex(of: text.lowercased()) { return index + unit.range.lowerBound }
    guard let value = number(text), unit.range.contains(value) else {
      let range = unit.range
      throw CronFault(
        "\(Quoted(String(text))) is not a valid \(unit.rawValue) (\(range.lowerBound) to \(range.upperBound))"
      )
    }
    return value
  }

  private static func number(_ text: Substring) -> Int? {
    guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else {
      return nil
    }
    return Int(text)
  }
}

/// The error of a text that is not a cron expression, with the reason for people.
struct CronFault: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}
