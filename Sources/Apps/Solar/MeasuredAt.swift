package import Domain

extension Instant {
  /// Maximum lead of a device's clock over the server's.
  package static let toleratedLead: Int64 = 5 * 60 * 1_000_000

  /// Parses the time of a measurement. Invalid text is refused, never replaced by the current time.
  ///
  /// - Throws: `bad_timestamp`.
  package init(measured text: String, now: Instant) throws(DomainError) {
    let instant: Instant
    do {
      instant = try Instant(parsing: text)
    } catch {
      throw DomainError(.badTimestamp, error.message)
    }
    try instant.requireMeasurable(now: now)
    self = instant
  }

  /// Refuses a time more than five minutes in the future.
  ///
  /// - Throws: `bad_timestamp`.
  package func requireMeasurable(now: Instant) throws(DomainError) {
    guard now.microseconds(until: self) <= Self.toleratedLead else {
      throw DomainError(
        .badTimestamp,
        "\(rfc3339) is in the future",
        hint: "here it is \(now.rfc3339); set the clock of whatever measured"
      )
    }
  }
}
