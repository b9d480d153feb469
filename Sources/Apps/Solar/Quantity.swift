package import Domain

/// The measured quantity of a recording; each has one unit.
package enum Quantity: String, Sendable, Codable, CaseIterable {
  /// The current power of the inverter.
  case power
  /// The energy counted by the meter.
  case energy

  package var unit: String {
    switch self {
    case .power: "kW"
    case .energy: "kWh"
    }
  }

  /// Returns the quantity for a quantity, a unit, both or neither. A number without either is power, as
  /// phones send it.
  ///
  /// - Throws: `invalid_input` if the two disagree or one is unknown.
  package init(named name: String?, unit: String?) throws(DomainError) {
    let byName = name.map { Self(rawValue: $0) }
    let byUnit = unit.map { unit in Self.allCases.first { $0.unit == unit } }
    if case .some(nil) = byName {
      throw DomainError(.invalidInput, "\(Quoted(name ?? "")) is no quantity", hint: "write power or energy")
    }
    if case .some(nil) = byUnit {
      throw DomainError(.invalidInput, "\(Quoted(unit ?? "")) is no unit", hint: "write kW or kWh")
    }
    let named = byName ?? nil
    let measured = byUnit ?? nil
    if let named, let measured, named != measured {
      throw DomainError(
        .invalidInput,
        "\(named.rawValue) is not measured in \(measured.unit)",
        hint: "it is in \(named.unit)"
      )
    }
    self = named ?? measured ?? .power
  }
}
