/// The UTC offsets of a time zone over a span of time, read from PostgreSQL.
///
/// Offsets are assumed to change on whole minutes, which holds for all zones since 1972.
package struct ZoneOffsets: Sendable, Hashable {
  /// A period with one offset; it ends where the next begins.
  package struct Period: Sendable, Hashable {
    /// The start of the period.
    package let start: Instant
    /// Seconds ahead of UTC.
    package let offset: Int64

    /// Creates a period.
    package init(start: Instant, offset: Int64) {
      self.start = start
      self.offset = offset
    }
  }

  /// A local date and time of the zone.
  package struct Reading: Sendable, Hashable {
    /// The day.
    package let date: LocalDate
    /// Minutes since midnight, 0 to 1439.
    package let minute: Int
  }

  /// The periods in order; at least one.
  package let periods: [Period]
  /// The end of the known span.
  package let end: Instant

  /// The offsets from the start of the first period to an end.
  package init(_ periods: [Period], end: Instant) {
    self.periods = periods
    self.end = end
  }

  /// Returns the local time at an instant.
  package func reading(at instant: Instant) -> Reading {
    let offset = periods.last { $0.start <= instant }?.offset ?? periods.first?.offset ?? 0
    let (minutes, _) = (instant.microseconds + offset * 1_000_000).flooredDivision(by: 60_000_000)
    let (day, minute) = minutes.flooredDivision(by: 1_440)
    return Reading(date: LocalDate(daysSince1970: Int(day)), minute: Int(minute))
  }

  /// Returns the instant of a local time: the first of two if it repeats, the instant of the clock change if
  /// it is skipped, nil beyond the known span.
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
