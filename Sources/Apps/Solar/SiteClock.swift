package import Domain

/// Reads the times of an export or a gateway. A time without an offset, as inverters write it, is the local time of
/// the site.
///
/// A time that the clocks skipped is refused. A time that they showed twice is the one that goes on in the order of
/// the times before it; the first of the two if there are none.
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
  /// - Throws: `bad_timestamp` for another form, for a local time that did not exist, and for one outside of the
  ///   known years.
  package mutating func instant(_ text: String) throws(DomainError) -> Instant {
    let found = try resolve(text)
    if let last, found != last { isDescending = found < last }
    last = found
    return found
  }

  private func resolve(_ text: String) throws(DomainError) -> Instant {
    let written = text.utf8.count == 16 ? text + ":00" : text
    // The other errors of the parser are about the same text.
    if let instant = try? Instant(parsing: written) { return instant }
    guard let shown = try? Instant(parsing: written + "Z") else {
      throw DomainError(
        .badTimestamp,
        "\(Quoted(text)) is not a time such as 2026-03-28T21:00:00Z, or 2026-03-28 21:00:00 in \(zone)"
      )
    }
    let choices = instants(showing: shown)
    guard let first = choices.first, let second = choices.last else {
      let isKnown = shown.microseconds > (offsets.periods.first?.start.microseconds ?? .max)
      throw DomainError(
        .badTimestamp,
        isKnown && shown < offsets.end
          ? "\(Quoted(text)) did not exist: the clocks of \(zone) skipped it"
          : "\(Quoted(text)) has no offset from UTC, such as +02:00",
        hint: "write the time with an offset from UTC"
      )
    }
    guard let last else { return first }
    return isDescending ? (second < last ? second : first) : (first > last ? first : second)
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
