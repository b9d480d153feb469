package import Domain

extension Instant {
  /// Maximum lead of a device's clock over the server's in microseconds: five minutes.
  package static let toleratedLead: Int64 = 5 * 60 * 1_000_000

  /// Parses the time of a measurement. Invalid text is refused, never replaced by the current time.
  ///
  /// - Throws: `bad_timestamp` for invalid text or a time more than five minutes after `now`.
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
        hint: "set the clock of the device; the server's time is \(now.rfc3339)"
      )
    }
  }
}
