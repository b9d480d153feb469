/// The UTC offsets of a time zone in a span of time, as read from PostgreSQL.
///
/// Offsets are assumed to be whole minutes, which is true of all zones since 1972.
package struct ZoneOffsets: Sendable, Hashable {
  /// A period with one offset. It ends where the next period begins.
  package struct Period: Sendable, Hashable {
    /// The start of the period.
    package let start: Instant
    /// The seconds ahead of UTC; negative west of Greenwich.
    package let offset: Int64

    /// Creates a period.
    package init(start: Instant, offset: Int64) {
      self.start = start
      self.offset = offset
    }
  }

  /// A local date and time of day in the zone.
  package struct Reading: Sendable, Hashable {
    /// The local date.
    package let date: LocalDate
    /// Minutes since midnight, 0 to 1439.
    package let minute: Int
  }

  /// The periods in ascending order, at least one.
  package let periods: [Period]
  /// The end of the last period, which is the end of the known span.
  package let end: Instant

  /// Creates the offsets from the start of the first period to an end.
  package init(_ periods: [Period], end: Instant) {
    self.periods = periods
    self.end = end
  }

  /// Returns the local date and time at an instant. Before the first period its offset is used.
  package func reading(at instant: Instant) -> Reading {
    let offset = periods.last { $0.start <= instant }?.offset ?? periods.first?.offset ?? 0
    let (minutes, _) = (instant.microseconds + offset * 1_000_000).flooredDivision(by: 60_000_000)
    let (day, minute) = minutes.flooredDivision(by: 1_440)
    return Reading(date: LocalDate(daysSince1970: Int(day)), minute: Int(minute))
  }

  /// Returns the instant of a local time; nil beyond the known span.
  ///
  /// A repeated local time has its first instant, and a skipped one the instant of the clock change.
  package func instant(of date: LocalDate, minute: Int) -> Instant? {
    let shown = Int64(date.daysSince1970) * 86_400 + Int64(minute) * 60
    for (index, period) in periods.enumerated() {
      let candidate = Instant(seconds: shown - period.offset)
      let next = index + 1 < periods.count ? periods[index + 1].start : end
      guard candidate < next else { continue }
      return max(candidate, index == 0 ? candidate : period.start)
    }
    return nil
  }

  /// Returns the first clock change after an instant; nil if none is known.
  func change(after instant: Instant) -> Instant? {
    periods.dropFirst().first { $0.start > instant }?.start
  }
}
