/// A timer of a state. It starts when a record enters the state, and fires a system transition when it is
/// due.
package struct TimerDefinition: Sendable, Hashable {
  /// The time between entering the state and the first firing.
  package let delay: Delay
  /// The system transition that the timer fires.
  package let fire: String
  /// The time between two firings while the record stays in the state; nil to fire once.
  package let interval: Delay?
  /// The maximum number of firings. If it is nil, a timer with an interval fires until the record leaves the
  /// state.
  package let limit: Int?

  /// Creates a timer.
  package init(delay: Delay, fire: String, every interval: Delay? = nil, limit: Int? = nil) {
    self.delay = delay
    self.fire = fire
    self.interval = interval
    self.limit = limit
  }

  /// Returns the time of the n-th firing, counted from 1; nil if there is none, or if it exceeds 64 bits.
  ///
  /// - Parameter entered: the time at which the record entered the state.
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
    if let limit, limit < 1 { throw object.invalid("max", "max must be 1 or more") }
    if limit ?? 1 > 1, interval == nil {
      throw object.invalid("max", "max requires repeat", hint: "add repeat, or remove max")
    }
  }
}
