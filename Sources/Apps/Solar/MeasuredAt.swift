package import Domain

extension Instant {
  /// How far a device's clock may be ahead of ours.
  package static let toleratedLead: Int64 = 5 * 60 * 1_000_000

  /// Reads when something was measured; what cannot be read is refused, never taken for now.
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

  /// Refuses a moment that is more than five minutes ahead.
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
