/// A clock that starts when a record enters a state and fires a system transition when it runs out.
package struct TimerDefinition: Sendable, Hashable {
  /// How long after entering the state it fires.
  package let delay: Delay
  /// The transition it fires.
  package let fire: String
  /// How long after a firing it fires again, if the record has not moved on.
  package let interval: Delay?
  /// How often it fires in all; nil with an interval means until the record moves on.
  package let limit: Int?

  /// Puts a timer together.
  package init(delay: Delay, fire: String, every interval: Delay? = nil, limit: Int? = nil) {
    self.delay = delay
    self.fire = fire
    self.interval = interval
    self.limit = limit
  }

  /// When it fires for the n-th time, counted from 1, after a state was entered; nil when it does not.
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
