/// A recurring time, given by minute, hour, day of the month, month and day of the week.
///
/// ```
/// 0 5 * * *            daily at 05:00
/// */15 8-17 * * mon-fri   every quarter of an hour of a working day
/// 30 2 1,15 * *        at 02:30 on the 1st and the 15th
/// ```
///
/// The rules of Vixie's cron apply:
/// - A field is `*`, a number, a range, or a list of these. `/n` after `*` or a range selects every n-th
///   number. Months and days of the week have names of three letters. Sunday is 0 or 7.
/// - If neither day field begins with `*`, a date that matches one of them is due. Otherwise it must match
///   both.
/// - If the hour field does not begin with `*`, the expression follows local time. A time that a clock change
///   skips is due right after the change; a repeated time is due only the first time.
/// - If the hour field begins with `*`, the expression follows elapsed time. A skipped hour is left out, and
///   a repeated hour counts twice.
package struct CronExpression: Sendable, Hashable {
  /// The five fields, separated by single spaces; `@daily` is written out.
  package let text: String

  let minutes: CronField
  let hours: CronField
  let days: CronField
  let months: CronField
  let weekdays: CronField

  /// Parses five fields, or `@hourly`, `@daily`, `@weekly`, `@monthly` or `@yearly`; at most 200 bytes.
  ///
  /// - Throws: `invalid_schedule` with the reason, also if no date matches, such as 30 February.
  package init(parsing text: String) throws(DomainError) {
    let written = Self.names[text] ?? text
    let fields = written.split { $0 == " " || $0 == "\t" }
    guard fields.count == 5, written.utf8.count <= 200 else {
      throw Self.refusal(text, "it has \(fields.count) fields, not 5")
    }
    do throws(CronFault) {
      minutes = try CronField(fields[0], .minute)
      hours = try CronField(fields[1], .hour)
      days = try CronField(fields[2], .day)
      months = try CronField(fields[3], .month)
      weekdays = try CronField(fields[4], .weekday)
    } catch {
      throw Self.refusal(text, error.reason)
    }
    self.text = fields.joined(separator: " ")
    guard hasSomeDay else { throw Self.refusal(text, "no year has such a date") }
  }

  /// True if a date matches the two day fields and the month.
  func includes(_ date: LocalDate) -> Bool {
    guard months.values.contains(date.month) else { return false }
    let day = days.values.contains(date.day)
    // 1970-01-01 was a Thursday.
    let (_, weekday) = Int64(date.daysSince1970 + 4).flooredDivision(by: 7)
    let fitsWeek = weekdays.values.contains(Int(weekday))
    return days.isStar || weekdays.isStar ? day && fitsWeek : day || fitsWeek
  }

  private var hasSomeDay: Bool {
    guard days.isStar || weekdays.isStar, let first = days.values.first else { return true }
    let lengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return months.values.contains { first <= lengths[$0 - 1] }
  }

  private static let names = [
    "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@weekly": "0 0 * * 0", "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
  ]

  private static func refusal(_ text: String, _ reason: String) -> DomainError {
    DomainError(.invalidSchedule, "\(Quoted(text)) is not a cron expression: \(reason)")
  }
}
