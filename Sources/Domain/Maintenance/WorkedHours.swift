/// The recorded working times of a day: start, end, and a lunch break.
///
/// The elapsed time depends on the company's time zone, in which a night may be an hour shorter or longer.
/// PostgreSQL converts both times to instants, and this converts them to hours.
package struct WorkedHours: Sendable, Hashable {
  /// The day the work began.
  package let date: LocalDate
  /// The start time.
  package let start: LocalTime
  /// The end time, on the same day or the next.
  package let end: LocalTime
  /// True if half an hour is deducted.
  package let lunchBreakDeducted: Bool

  /// The deduction for lunch.
  package static let lunchBreak = Hours(hundredths: 50)
  /// The maximum; more at a time is a typing error.
  package static let longest = Hours(hundredths: 1600)

  /// Creates recorded times. Equal times are refused, since they could mean zero hours or a whole day.
  package init(
    on date: LocalDate,
    from start: LocalTime,
    to end: LocalTime,
    lunchBreakDeducted: Bool = false
  ) throws(DomainError) {
    guard start != end else {
      throw DomainError(.equalTimes, "Start and end are both \(start)")
    }
    self.date = date
    self.start = start
    self.end = end
    self.lunchBreakDeducted = lunchBreakDeducted
  }

  /// True if the work ended on the day after it began.
  package var endsNextDay: Bool { end < start }

  /// The end date.
  package var endDate: LocalDate { endsNextDay ? date.adding(days: 1) : date }

  /// Returns the hours worked between two instants, which are ``date`` with ``start`` and ``endDate`` with
  /// ``end`` in the company's time zone. The result is never negative and at most sixteen.
  package func hours(from started: Instant, to ended: Instant) throws(DomainError) -> Hours {
    // In the night the clocks go forward, a skipped end time can come before a start time that was not
    // skipped.
    guard started < ended else {
      throw DomainError(
        .invalidTime,
        "\(start) to \(end) on \(date) did not happen: the clocks were changed in between",
        hint: "Write the times as the clocks showed them."
      )
    }
    let elapsed = Hours(from: started, to: ended)
    let worked = max(.zero, lunchBreakDeducted ? elapsed - Self.lunchBreak : elapsed)
    guard worked <= Self.longest else {
      throw DomainError(
        .over16Hours,
        "\(start) to \(end)\(endsNextDay ? " the next day" : "") is \(worked) hours, more than 16",
        details: ["hours": .string(worked.description)]
      )
    }
    return worked
  }
}
