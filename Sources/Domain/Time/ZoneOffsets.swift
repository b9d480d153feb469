/// How far the clocks of a zone are from UTC over a stretch of time: what PostgreSQL says of it, as a value.
///
/// Clocks are taken to change on whole minutes, which all have done since 1972.
package struct ZoneOffsets: Sendable, Hashable {
  /// A time during which the offset stays the same; it ends where the next begins.
  package struct Period: Sendable, Hashable {
    /// When it begins.
    package let start: Instant
    /// Seconds that the zone's clocks are ahead of UTC.
    package let offset: Int64

    /// Puts a period together.
    package init(start: Instant, offset: Int64) {
      self.start = start
      self.offset = offset
    }
  }

  /// A moment as the clocks of the zone show it.
  package struct Reading: Sendable, Hashable {
    /// The day.
    package let date: LocalDate
    /// Minutes since the clocks showed midnight, 0 to 1439.
    package let minute: Int
  }

  /// The periods in order; at least one.
  package let periods: [Period]
  /// Up to where the periods are known.
  package let end: Instant

  /// The offsets from the start of the first period to an end.
  package init(_ periods: [Period], end: Instant) {
    self.periods = periods
    self.end = end
  }

  /// What the clocks show.
  package func reading(at instant: Instant) -> Reading {
    let offset = periods.last { $0.start <= instant }?.offset ?? periods.first?.offset ?? 0
    let (minutes, _) = (instant.microseconds + offset * 1_000_000).flooredDivision(by: 60_000_000)
    let (day, minute) = minutes.flooredDivision(by: 1_440)
    return Reading(date: LocalDate(daysSince1970: Int(day)), minute: Int(minute))
  }

  /// When the clocks show a time: the first of two moments if they do so twice, the moment at which they jump
  /// if they skip it, and nil beyond what is known.
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

  /// The first change of the clocks after a moment; nil when none is known.
  func change(after instant: Instant) -> Instant? {
    periods.dropFirst().first { $0.start > instant }?.start
  }
}
