package import Domain

/// Reads the times of an export or a gateway. A time without an offset, as inverters write it, is the local time of
/// the site.
///
/// A time that the clocks skipped is refused. A time that they showed twice is the one that goes on in the order of
/// the times before it, and is refused if there are none: a file may begin in the second of the two hours.
package struct SiteClock: Sendable {
  /// The first year whose local times are read; earlier times need an offset.
  package static let firstYear = 2000

  private let zone: String
  private let offsets: ZoneOffsets
  private var last: Instant?
  private var isDescending = false

  /// - Parameter offsets: the offsets of the zone at all times to read.
  package init(zone: String, offsets: ZoneOffsets) {
    self.zone = zone
    self.offsets = offsets
  }

  /// Returns the instant of a time such as `2026-06-10T10:00:00Z`, `2026-06-10 12:00:00` or `2026-06-10 12:00`.
  ///
  /// - Throws: `bad_timestamp` for another form, for a local time that did not exist, for one outside of the known
  ///   years, and for the first one if the clocks showed it twice.
  package mutating func instant(_ text: String) throws(DomainError) -> Instant {
    let (first, second) = try choices(text)
    let found: Instant
    if first == second {
      found = first
    } else if let last {
      found = isDescending ? (second < last ? second : first) : (first > last ? first : second)
    } else {
      throw DomainError(
        .badTimestamp,
        "the clocks of \(zone) showed \(Quoted(text)) twice, and no line before says which one it is; "
          + "write it with an offset from UTC, or begin with an earlier line"
      )
    }
    if let last, found != last { isDescending = found < last }
    last = found
    return found
  }

  /// Returns the instant of a time that was measured a moment ago: of two, the one nearest to `now`.
  ///
  /// - Throws: `bad_timestamp` as ``instant(_:)``, but for a time that the clocks showed twice.
  package func instant(_ text: String, nearest now: Instant) throws(DomainError) -> Instant {
    let (first, second) = try choices(text)
    let isFirst = first.microseconds(until: now).magnitude < second.microseconds(until: now).magnitude
    return isFirst ? first : second
  }

  /// Returns the first and the second instant at which the clocks showed a time; nearly always the same.
  private func choices(_ text: String) throws(DomainError) -> (Instant, Instant) {
    let written = text.utf8.count == 16 ? text + ":00" : text
    // The other errors of the parser are about the same text.
    if let instant = try? Instant(parsing: written) { return (instant, instant) }
    guard let shown = try? Instant(parsing: written + "Z") else {
      throw DomainError(
        .badTimestamp,
        "\(Quoted(text)) is not a time such as 2026-03-28T21:00:00Z, or 2026-03-28 21:00:00 in \(zone)"
      )
    }
    let found = instants(showing: shown)
    guard let first = found.first, let second = found.last else {
      let isKnown = shown.microseconds > (offsets.periods.first?.start.microseconds ?? .max)
      throw DomainError(
        .badTimestamp,
        isKnown && shown < offsets.end
          ? "\(Quoted(text)) did not exist: the clocks of \(zone) skipped it"
          : "\(Quoted(text)) has no offset from UTC, such as +02:00",
        hint: "write the time with an offset from UTC"
      )
    }
    return (first, second)
  }

  /// Returns the instants at which the clocks of the site show a time, which is given as if it were UTC.
  private func instants(showing shown: Instant) -> [Instant] {
    offsets.periods.enumerated().compactMap { index, period in
      let next = index + 1 < offsets.periods.count ? offsets.periods[index + 1].start : offsets.end
      guard let candidate = shown.advanced(byMicroseconds: -period.offset * 1_000_000) else { return nil }
      return candidate >= period.start && candidate < next ? candidate : nil
    }
  }
}
