/// A timer that starts when a record enters a state and fires a system transition when it expires.
package struct TimerDefinition: Sendable, Hashable {
  /// The delay after entering the state.
  package let delay: Delay
  /// The transition it fires.
  package let fire: String
  /// The interval between firings while the record stays in the state.
  package let interval: Delay?
  /// The maximum number of firings; nil with an interval: until the record leaves the state.
  package let limit: Int?

  /// Creates a timer.
  package init(delay: Delay, fire: String, every interval: Delay? = nil, limit: Int? = nil) {
    self.delay = delay
    self.fire = fire
    self.interval = interval
    self.limit = limit
  }

  /// Returns the time of the n-th firing, counted from 1, after the state was entered; nil if there is none.
  package func due(firing number: Int, entered: Instant) -> Instant? {
    guard number >= 1, number <= limit ?? (interval == nil ? 1 : Int.max) else { return nil }
    guard number > 1 else { return entered.advanced(byMicroseconds: delay.microseconds) }
    guard let interval else { return nil }
    let (waits, overflow) = interval.microseconds.multipliedReportingOverflow(by: Int64(number - 1))
    return overflow
      ? nil : entered.advanced(byMicroseconds: delay.microseconds)?.advanced(byMicroseconds: waits)
  }
}

extension TimerDefinition: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case delay, fire
    case interval = "repeat"
    case limit = "max"
  }

  package init(from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: CodingKeys.allCases.map(\.rawValue))
    self.init(
      delay: try object.required("delay"),
      fire: try object.required("fire"),
      every: try object.optional("repeat"),
      limit: try object.optional("max")
    )
    if let limit, limit < 1 { throw object.invalid("max", "A timer fires at least once") }
    if limit ?? 1 > 1, interval == nil {
      throw object.invalid("max", "max is given without repeat", hint: "Add repeat, or leave max out.")
    }
  }
}
