package import Domain

extension Instant {
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
}
