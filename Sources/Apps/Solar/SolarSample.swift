package import Domain
internal import Postgres
internal import Store

/// The inverter power and meter reading of a site at one time; at least one of the two.
package struct SolarSample: Sendable, Hashable {
  /// Time of the measurement.
  package let takenAt: Instant
  /// Power in kW; negative while the inverter draws power.
  package let inverterKW: ExactDecimal?
  /// Meter reading in kWh.
  package let meterKWh: ExactDecimal?

  /// Creates a sample.
  ///
  /// - Throws: `missing_fields` without either number; `invalid_number` for a negative meter reading or a
  ///   number that is too large; `invalid_instant` for a time outside the years 1900 to 2200.
  package init(takenAt: Instant, inverterKW: ExactDecimal?, meterKWh: ExactDecimal?) throws(DomainError) {
    guard inverterKW != nil || meterKWh != nil else {
      throw DomainError(.missingFields, "a sample needs a power, a meter reading or both")
    }
    if let meterKWh, meterKWh.isBelowZero {
      throw DomainError(.invalidNumber, "the meter reading \(meterKWh.text) is negative")
    }
    try RecordedYears.require(takenAt)
    if let inverterKW { try Self.requireRoom(for: inverterKW, digits: 7) }
    if let meterKWh { try Self.requireRoom(for: meterKWh, digits: 11) }
    self.takenAt = takenAt
    self.inverterKW = inverterKW
    self.meterKWh = meterKWh
  }

  /// Requires at most `digits` digits before the point, as the column does. The column rounds to three
  /// decimals.
  private static func requireRoom(for number: ExactDecimal, digits: Int) throws(DomainError) {
    let whole = number.canonicalText.drop { $0 == "-" }.prefix { $0 != "." && $0 != "e" }
    guard whole.count <= digits, !number.canonicalText.contains("e") || number.approximate.magnitude < 1
    else {
      throw DomainError(.invalidNumber, "\(number.text) is too large for a sample")
    }
  }
}

/// Samples of one site to insert, column by column.
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
