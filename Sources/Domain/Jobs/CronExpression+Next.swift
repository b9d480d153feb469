extension CronExpression {
  /// Returns the first due time after an instant; nil if there is none within the known offsets of the zone.
  package func next(after moment: Instant, in zone: ZoneOffsets) -> Instant? {
    hours.isStar ? nextInElapsedTime(after: moment, zone) : nextOnTheWall(after: moment, zone)
  }

  /// Returns the latest due time up to `now`. One run at that time replaces all missed ones.
  ///
  /// - Parameters:
  ///   - due: the earliest due time that was missed.
  ///   - limit: the maximum number of due times to pass; one for each minute covers about a week.
  package func latest(from due: Instant, upTo now: Instant, in zone: ZoneOffsets, limit: Int = 10_000)
    -> Instant
  {
    var latest = due
    for _ in 0..<limit {
      guard let following = next(after: latest, in: zone), following <= now else { break }
      latest = following
    }
    return latest
  }

  /// Searches local dates; each time of a date is due once.
  private func nextOnTheWall(after moment: Instant, _ zone: ZoneOffsets) -> Instant? {
    // Starts a day earlier: if the clocks go back across midnight, a later instant can have an earlier date.
    var date = zone.reading(at: moment).date.adding(days: -1)
    let last = zone.reading(at: zone.end).date
    while date <= last {
      if includes(date) {
        for hour in hours.values {
          for minute in minutes.values {
            guard let instant = zone.instant(of: date, minute: hour * 60 + minute) else { return nil }
            if instant > moment { return instant }
          }
        }
      }
      date = date.adding(days: 1)
    }
    return nil
  }

  /// Searches elapsed minutes. Hours and days that cannot match are skipped, but never past a clock change.
  private func nextInElapsedTime(after moment: Instant, _ zone: ZoneOffsets) -> Instant? {
    let (minutes, _) = moment.microseconds.flooredDivision(by: 60_000_000)
    var instant = Instant(seconds: (minutes + 1) * 60)
    while instant < zone.end {
      let shown = zone.reading(at: instant)
      let leap: Int
      if !includes(shown.date) {
        leap = 1_440 - shown.minute
      } else if !hours.values.contains(shown.minute / 60) {
        leap = 60 - shown.minute % 60
      } else if !self.minutes.values.contains(shown.minute % 60) {
        leap = 1
      } else {
        return instant
      }
      let target = Instant(seconds: instant.microseconds / 1_000_000 + Int64(leap) * 60)
      instant = zone.change(after: instant).map { min($0, target) } ?? target
    }
    return nil
  }
}
