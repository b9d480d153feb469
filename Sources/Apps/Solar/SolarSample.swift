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
  /// First reading of a new counter, if the counter was reset or replaced before the sample; nil otherwise.
  package let firstKWh: ExactDecimal?

  /// Creates a sample.
  ///
  /// - Parameter firstKWh: the first reading of a new counter, from 0 to `meterKWh`; nil if the counter is the same.
  /// - Throws: `missing_fields` without either number; `invalid_number` for a negative meter reading, a number
  ///   that is too large, or a new counter that began above its reading; `invalid_instant` for a time outside the
  ///   years 1900 to 2200.
  package init(
    takenAt: Instant,
    inverterKW: ExactDecimal?,
    meterKWh: ExactDecimal?,
    firstKWh: ExactDecimal? = nil
  ) throws(DomainError) {
    guard inverterKW != nil || meterKWh != nil else {
      throw DomainError(.missingFields, "a sample needs a power, a meter reading or both")
    }
    if let meterKWh, meterKWh.isBelowZero {
      throw DomainError(.invalidNumber, "the meter reading \(meterKWh.text) is negative")
    }
    try RecordedYears.require(takenAt)
    if let inverterKW { try Self.requireRoom(for: inverterKW, digits: 7) }
    if let meterKWh { try Self.requireRoom(for: meterKWh, digits: 11) }
    if let firstKWh {
      guard let meterKWh else {
        throw DomainError(.missingFields, "a new counter needs a meter reading")
      }
      guard !firstKWh.isBelowZero, firstKWh.approximate <= meterKWh.approximate else {
        throw DomainError(
          .invalidNumber,
          "a new counter at \(meterKWh.text) kWh cannot have begun at \(firstKWh.text) kWh"
        )
      }
      try Self.requireRoom(for: firstKWh, digits: 11)
    }
    self.takenAt = takenAt
    self.inverterKW = inverterKW
    self.meterKWh = meterKWh
    self.firstKWh = firstKWh
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
  private(set) var times: [Instant] = []
  private(set) var power: [String?] = []
  private(set) var energy: [String?] = []
  private(set) var first: [String?] = []

  var count: Int { times.count }

  mutating func append(_ sample: SolarSample) {
    times.append(sample.takenAt)
    power.append(sample.inverterKW?.text)
    energy.append(sample.meterKWh?.text)
    first.append(sample.firstKWh?.text)
  }

  mutating func removeAll() {
    times.removeAll(keepingCapacity: true)
    power.removeAll(keepingCapacity: true)
    energy.removeAll(keepingCapacity: true)
    first.removeAll(keepingCapacity: true)
  }
}
