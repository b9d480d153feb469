internal import Domain
internal import Engine
internal import Jobs

/// Extracts the sample from the response of a polled site.
struct PollAnswer {
  private let source: PollSource
  private let clock: SiteClock

  /// - Parameters:
  ///   - source: the names of the members in the response.
  ///   - clock: reads a time without an offset.
  init(_ source: PollSource, clock: SiteClock) {
    self.source = source
    self.clock = clock
  }

  /// Returns the sample in a response. Without a time it gets the time `now`.
  ///
  /// - Throws: `invalid_document` for a response that is not a JSON object, `bad_timestamp` for an invalid time,
  ///   `missing_fields` without a number, `invalid_number` for an
  ///   invalid number.
  func sample(_ body: [UInt8], receivedAt now: Instant) throws(DomainError) -> SolarSample {
    guard let text = String(validating: body, as: UTF8.self), let object = try JSONValue(parsing: text).object
    else { throw DomainError(.invalidDocument, "the answer is not a JSON object") }
    let moment: Instant
    switch object[source.time] {
    case .string(let text)?:
      moment = try clock.instant(text, nearest: now)
      try moment.requireMeasurable(now: now)
    case nil, .null?: moment = now
    default: throw DomainError(.badTimestamp, "\(source.time) is not a time stamp")
    }
    return try SolarSample(
      takenAt: moment,
      inverterKW: try number(source.power, in: object),
      meterKWh: try number(source.energy, in: object)
    )
  }

  private func number(_ name: String, in object: JSONObject) throws(DomainError) -> ExactDecimal? {
    switch object[name] {
    case nil, .null?: nil
    case .number(let number)?: number
    case .string(let text)?: try ExactDecimal(parsing: text)
    default: throw DomainError(.invalidNumber, "\(name) is not a number")
    }
  }
}
