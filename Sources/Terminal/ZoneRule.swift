/// The yearly rule of a time zone in POSIX notation, such as `CET-1CEST,M3.5.0,M10.5.0/3`.
struct ZoneRule: Sendable, Equatable {
  /// The offset outside of summer time, in seconds ahead of UTC.
  private let standard: Int
  private let summer: Summer?

  private struct Summer: Equatable {
    let offset: Int
    let start: Change
    let end: Change
  }

  /// Parses a rule; nil for text that is not one.
  init?(_ text: String) {
    var rest = Substring(text)
    guard Self.skipName(&rest), let standard = Self.time(&rest) else { return nil }
    self.standard = -standard
    guard !rest.isEmpty else {
      summer = nil
      return
    }
    guard Self.skipName(&rest) else { return nil }
    var offset = 3_600 - standard
    if rest.first != "," {
      guard let given = Self.time(&rest) else { return nil }
      offset = -given
    }
    let changes = rest.split(separator: ",", omittingEmptySubsequences: false)
    guard changes.count == 3, changes[0].isEmpty, let start = Change(changes[1]), let end = Change(changes[2])
    else { return nil }
    summer = Summer(offset: offset, start: start, end: end)
  }

  /// Returns the offset in seconds ahead of UTC at a time in seconds since 1970.
  func offset(at seconds: Int64) -> Int {
    guard let summer else { return standard }
    let year = CivilDate(secondsSince1970: seconds + Int64(standard)).year
    let start = summer.start.seconds(in: year) - Int64(standard)
    let end = summer.end.seconds(in: year) - Int64(summer.offset)
    let isSummer = start < end ? (start..<end).contains(seconds) : !(end..<start).contains(seconds)
    return isSummer ? summer.offset : standard
  }

  /// A change of the clock: a day of the year and a local time of day in seconds.
  private struct Change: Equatable {
    /// Month 1 to 12, week 1 to 5 (5 for the last), weekday 0 (Sunday) to 6; nil for a day of the year.
    private let month: (month: Int, week: Int, weekday: Int)?
    /// The day of the year from 0, and true if 29 February is counted; nil for a month rule.
    private let day: (number: Int, countsLeapDay: Bool)?
    private let time: Int

    init?(_ text: Substring) {
      let halves = text.split(separator: "/", maxSplits: 1)
      guard let date = halves.first else { return nil }
      var clock = halves.count > 1 ? halves[1] : "2"
      guard let time = ZoneRule.time(&clock), clock.isEmpty else { return nil }
      self.time = time
      if date.hasPrefix("M") {
        let parts = date.dropFirst().split(separator: ".").compactMap { Int($0) }
        guard parts.count == 3, (1...12).contains(parts[0]) else { return nil }
        (month, day) = ((parts[0], parts[1], parts[2]), nil)
      } else {
        guard let number = Int(date.hasPrefix("J") ? date.dropFirst() : date) else { return nil }
        // With J, days count from 1 without 29 February; without J, from 0 with it.
        (month, day) = (nil, date.hasPrefix("J") ? (number - 1, false) : (number, true))
      }
    }

    static func == (left: Change, right: Change) -> Bool {
      left.month.map { [$0.month, $0.week, $0.weekday] }
        == right.month.map { [$0.month, $0.week, $0.weekday] }
        && left.day?.number == right.day?.number && left.day?.countsLeapDay == right.day?.countsLeapDay
        && left.time == right.time
    }

    /// Returns the time of the change in a year, in local seconds since 1970.
    func seconds(in year: Int) -> Int64 {
      var days: Int
      if let month {
        let first = CivilDate.days(year, month.month, 1)
        // 1 January 1970 was a Thursday.
        let weekday = ((first + 4) % 7 + 7) % 7
        days = first + (month.weekday - weekday + 7) % 7 + (month.week - 1) * 7
        let next =
          month.month == 12 ? CivilDate.days(year + 1, 1, 1) : CivilDate.days(year, month.month + 1, 1)
        if days >= next { days -= 7 }
      } else {
        let number = day?.number ?? 0
        days = CivilDate.days(year, 1, 1) + number
        let isLeap = CivilDate.days(year, 3, 1) - CivilDate.days(year, 1, 1) == 60
        if day?.countsLeapDay == false, isLeap, number >= 59 { days += 1 }
      }
      return Int64(days) * 86_400 + Int64(time)
    }
  }

  private static func skipName(_ rest: inout Substring) -> Bool {
    let before = rest
    if rest.first == "<" {
      rest = rest.drop { $0 != ">" }.dropFirst()
    } else {
      rest = rest.drop { $0.isLetter }
    }
    return rest.count < before.count
  }

  /// Removes a time `[+-]hh[:mm[:ss]]` from the beginning of a text and returns it in seconds; nil for other
  /// text.
  fileprivate static func time(_ rest: inout Substring) -> Int? {
    let sign = rest.first == "-" ? -1 : 1
    if rest.first == "-" || rest.first == "+" { rest = rest.dropFirst() }
    let text = rest.prefix { $0.isNumber || $0 == ":" }
    rest = rest.dropFirst(text.count)
    let parts = text.split(separator: ":").compactMap { Int($0) }
    guard (1...3).contains(parts.count) else { return nil }
    return sign * zip(parts, [3_600, 60, 1]).reduce(0) { $0 + $1.0 * $1.1 }
  }
}

/// A date of the Gregorian calendar.
struct CivilDate: Equatable {
  let year: Int
  let month: Int
  let day: Int

  /// Creates the date of a time in local seconds since 1970.
  init(secondsSince1970 seconds: Int64) {
    // Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms": eras of 400 years that begin on 1 March.
    let days = Int(seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400) + 719_468
    let era = (days >= 0 ? days : days - 146_096) / 146_097
    let dayOfEra = days - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shifted + 2) / 5 + 1
    month = shifted < 10 ? shifted + 3 : shifted - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Returns the number of days from 1970-01-01 to a date.
  static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
