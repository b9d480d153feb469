extension Instant {
  /// Maximum lead of a device's clock over the server's in microseconds: five minutes.
  package static let toleratedLead: Int64 = 5 * 60 * 1_000_000

  /// Refuses a measured time in the future: of a reading, a sample, or the end of work.
  ///
  /// - Parameters:
  ///   - now: the server's time.
  ///   - code: the code of the refusal.
  /// - Throws: an error with `code` for a time more than five minutes after `now`.
  package func requireMeasurable(now: Instant, code: ErrorCode = .badTimestamp) throws(DomainError) {
    guard now.microseconds(until: self) <= Self.toleratedLead else {
      throw DomainError(
        code,
        "\(rfc3339) is in the future",
        hint: "check the date, the time zone and the clock of the device; the server's time is \(now.rfc3339)"
      )
    }
  }
}
