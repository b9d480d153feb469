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

  /// Creates a quantity from its name, its unit, both or neither. Without either it is power, as phones send
  /// it.
  ///
  /// - Throws: `invalid_input` for an unknown name or unit, or if the two disagree.
  package init(named name: String?, unit: String?) throws(DomainError) {
    let byName = name.map { Self(rawValue: $0) }
    let byUnit = unit.map { unit in Self.allCases.first { $0.unit == unit } }
    if case .some(nil) = byName {
      throw DomainError(
        .invalidInput,
        "\(Quoted(name ?? "")) is not a quantity",
        hint: "write power or energy"
      )
    }
    if case .some(nil) = byUnit {
      throw DomainError(.invalidInput, "\(Quoted(unit ?? "")) is not a unit", hint: "write kW or kWh")
    }
    let named = byName ?? nil
    let measured = byUnit ?? nil
    if let named, let measured, named != measured {
      throw DomainError(
        .invalidInput,
        "\(named.rawValue) is not measured in \(measured.unit)",
        hint: "write \(named.unit)"
      )
    }
    self = named ?? measured ?? .power
  }
}
