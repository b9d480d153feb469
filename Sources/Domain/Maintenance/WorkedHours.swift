/// The hours somebody wrote down for a day: start, end, and whether lunch comes off.
///
/// How long the time between them really was depends on the company's time zone, in which a night may have an
/// hour less or more; PostgreSQL resolves both ends, and this turns them into hours.
package struct WorkedHours: Sendable, Hashable {
  /// The day the work began.
  package let date: LocalDate
  /// When it began.
  package let start: LocalTime
  /// When it ended, on the same day or the next.
  package let end: LocalTime
  /// Whether half an hour is taken off.
  package let lunchBreakDeducted: Bool

  /// What lunch takes off.
  package static let lunchBreak = Hours(hundredths: 50)
  /// More than this at a time is a typing error.
  package static let longest = Hours(hundredths: 1600)

  /// Takes what was written down; equal times could mean nothing or a whole day, and are refused.
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

  /// Whether the work ended on the day after it began.
  package var endsNextDay: Bool { end < start }

  /// The day it ended.
  package var endDate: LocalDate { endsNextDay ? date.adding(days: 1) : date }

  /// The hours worked between the two moments, which are ``date`` with ``start`` and ``endDate`` with ``end`` in
  /// the company's time zone: never negative, and never more than sixteen.
  package func hours(from started: Instant, to ended: Instant) throws(DomainError) -> Hours {
    // In the night the clocks go forward, an end that was skipped can come before a start that was not.
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
