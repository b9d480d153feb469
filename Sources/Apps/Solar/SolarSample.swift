package import Domain
internal import Postgres
internal import Store

/// What the inverter and the meter of a site showed at one moment; one of the two at least.
package struct SolarSample: Sendable, Hashable {
  /// When it was so.
  package let takenAt: Instant
  /// Power in kW; negative when the inverter draws.
  package let inverterKW: ExactDecimal?
  /// What the meter showed in kWh.
  package let meterKWh: ExactDecimal?

  /// - Throws: `missing_fields` without either number, `invalid_number` for a meter below zero or a number that has
  ///   no room.
  package init(takenAt: Instant, inverterKW: ExactDecimal?, meterKWh: ExactDecimal?) throws(DomainError) {
    guard inverterKW != nil || meterKWh != nil else {
      throw DomainError(.missingFields, "a sample has a power, a meter reading or both")
    }
    if let meterKWh, meterKWh.isBelowZero {
      throw DomainError(.invalidNumber, "a meter does not show \(meterKWh.text)")
    }
    try RecordedYears.require(takenAt)
    if let inverterKW { try Self.requireRoom(for: inverterKW, digits: 7) }
    if let meterKWh { try Self.requireRoom(for: meterKWh, digits: 11) }
    self.takenAt = takenAt
    self.inverterKW = inverterKW
    self.meterKWh = meterKWh
  }

  /// Digits before the point, as the column has them; decimals beyond the third are rounded away by it.
  private static func requireRoom(for number: ExactDecimal, digits: Int) throws(DomainError) {
    let whole = number.canonicalText.drop { $0 == "-" }.prefix { $0 != "." && $0 != "e" }
    guard whole.count <= digits, !number.canonicalText.contains("e") || number.approximate.magnitude < 1
    else {
      throw DomainError(.invalidNumber, "\(number.text) is too large for a sample")
    }
  }
}

/// Samples of one site on their way into the table, column by column.
struct SampleBatch {
  private(set) var times: [Timestamp] = []
  private(set) var power: [String?] = []
  private(set) var energy: [String?] = []

  var count: Int { times.count }

  mutating func append(_ sample: SolarSample) {
    times.append(Timestamp(microseconds: sample.takenAt.microseconds))
    power.append(sample.inverterKW?.text)
    energy.append(sample.meterKWh?.text)
  }

  mutating func removeAll() {
    times.removeAll(keepingCapacity: true)
    power.removeAll(keepingCapacity: true)
    energy.removeAll(keepingCapacity: true)
  }
}
