/// The recorded times of one piece of work: start, end and lunch break.
///
/// PostgreSQL converts the times to instants in the company's time zone, because a night with a clock change
/// is an hour shorter or longer. This type computes the hours between the instants.
package struct WorkedHours: Sendable, Hashable {
  /// The date on which the work began.
  package let date: LocalDate
  /// The start time.
  package let start: LocalTime
  /// The end time, on the same day or the next.
  package let end: LocalTime
  /// True if half an hour is deducted.
  package let hasLunch: Bool

  /// The deduction for lunch: half an hour.
  package static let lunchBreak = Hours(hundredths: 50)
  /// The maximum of one entry, 16 hours. More is assumed to be a typing error.
  package static let longest = Hours(hundredths: 1600)

  /// Creates recorded times.
  ///
  /// - Throws: `equal_times` if start and end are equal: that could mean no time or a whole day.
  package init(
    on date: LocalDate,
    from start: LocalTime,
    to end: LocalTime,
    hasLunch: Bool = false
  ) throws(DomainError) {
    guard start != end else {
      throw DomainError(.equalTimes, "start and end are both \(start)")
    }
    self.date = date
    self.start = start
    self.end = end
    self.hasLunch = hasLunch
  }

  /// True if the work ended on the day after it began: the end time is earlier than the start time.
  package var endsNextDay: Bool { end < start }

  /// The date on which the work ended.
  package var endDate: LocalDate { endsNextDay ? date.adding(days: 1) : date }

  /// Requires that the clocks showed start and end. When they go forward, PostgreSQL reads a skipped time as an hour
  /// later.
  ///
  /// - Throws: `invalid_time` for a time that was skipped.
  package func requireShown(start isStartShown: Bool, end isEndShown: Bool) throws(DomainError) {
    guard isStartShown, isEndShown else {
      throw DomainError(
        .invalidTime,
        "the clocks skipped \(isStartShown ? end : start) on \(isStartShown ? endDate : date)",
        hint: "enter the times that the clocks showed"
      )
    }
  }

  /// Returns the hours worked, 0 to 16, after deducting the lunch break.
  ///
  /// - Parameters:
  ///   - started: the instant of ``date`` and ``start`` in the company's time zone.
  ///   - ended: the instant of ``endDate`` and ``end`` in the company's time zone.
  /// - Throws: `invalid_time` if the end is not after the start, `over_16_hours` for more than 16 hours.
  package func hours(from started: Instant, to ended: Instant) throws(DomainError) -> Hours {
    // A skipped start, such as 02:30, can come after an end that was not skipped, such as 03:15.
    guard started < ended else {
      throw DomainError(
        .invalidTime,
        "\(start) to \(end) on \(date) is not possible: the clocks changed in between",
        hint: "enter the times that the clocks showed"
      )
    }
    let elapsed = Hours(from: started, to: ended)
    let worked = max(.zero, hasLunch ? elapsed - Self.lunchBreak : elapsed)
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
