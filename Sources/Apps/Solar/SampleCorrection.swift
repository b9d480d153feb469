package import Domain

/// A correction of one sample. It changes what it names and keeps the rest of the stored sample.
package struct SampleCorrection: Sendable {
  /// The change of a number.
  package enum Number: Sendable, Hashable {
    case kept
    case removed
    case replaced(ExactDecimal)
  }

  /// The change of the mark of a new counter.
  package enum Mark: Sendable, Hashable {
    case kept
    case removed
    /// A new counter begins with a reading; nil for that of the sample.
    case begins(ExactDecimal?)
  }

  /// Time of the sample.
  package let takenAt: Instant
  private let inverterKW: Number
  private let meterKWh: Number
  private let mark: Mark

  /// - Throws: `missing_fields` if nothing changes.
  package init(
    takenAt: Instant,
    inverterKW: Number = .kept,
    meterKWh: Number = .kept,
    mark: Mark = .kept
  ) throws(DomainError) {
    guard inverterKW != .kept || meterKWh != .kept || mark != .kept else {
      throw DomainError(.missingFields, "a correction needs a power, a meter reading or a mark")
    }
    self.takenAt = takenAt
    self.inverterKW = inverterKW
    self.meterKWh = meterKWh
    self.mark = mark
  }

  /// Returns the corrected sample.
  ///
  /// - Parameter old: the stored sample; nil if there is none.
  /// - Throws: the errors of ``SolarSample``, such as `missing_fields` if no number remains.
  func applied(to old: SampleRow?) throws(DomainError) -> SolarSample {
    let power = try Self.number(inverterKW, insteadOf: old?.inverterKW)
    let reading = try Self.number(meterKWh, insteadOf: old?.meterKWh)
    return try SolarSample(
      takenAt: takenAt,
      inverterKW: power,
      meterKWh: reading,
      firstKWh: firstReading(of: old, with: reading)
    )
  }

  private static func number(_ change: Number, insteadOf old: String?) throws(DomainError) -> ExactDecimal? {
    switch change {
    case .kept:
      guard let old else { return nil }
      return try ExactDecimal(parsing: old)
    case .removed: return nil
    case .replaced(let number): return number
    }
  }

  private func firstReading(of old: SampleRow?, with reading: ExactDecimal?) throws(DomainError)
    -> ExactDecimal?
  {
    switch mark {
    case .removed: return nil
    case .begins(let first):
      guard let reading else { throw DomainError(.missingFields, "a new counter needs a meter reading") }
      return first ?? reading
    case .kept:
      guard let reading, let first = old?.firstKWh else { return nil }
      // A counter that began at its first reading begins at the corrected one.
      return first == old?.meterKWh ? reading : try ExactDecimal(parsing: first)
    }
  }
}
