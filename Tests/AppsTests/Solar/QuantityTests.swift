import Apps
import Domain
import Testing

@Suite struct QuantityTests {
  @Test func `a quantity has its unit, and either names the other`() throws {
    #expect(try Quantity(named: nil, unit: nil) == .power)
    #expect(try Quantity(named: "energy", unit: nil) == .energy)
    #expect(try Quantity(named: nil, unit: "kWh") == .energy)
    #expect(try Quantity(named: "power", unit: "kW").unit == "kW")
    for (name, unit) in [("power", "kWh"), ("energy", "kW"), ("heat", nil), (nil, "MW")]
      as [(String?, String?)]
    {
      let error = #expect(throws: DomainError.self) { try Quantity(named: name, unit: unit) }
      #expect(error?.code == .invalidInput)
    }
  }

  @Test func `the measured moment may be a little ahead and no more`() throws {
    let now = try Instant(parsing: "2026-03-01T12:00:00Z")
    #expect(try Instant(measured: "2026-03-01T12:05:00Z", now: now).rfc3339 == "2026-03-01T12:05:00Z")
    for text in ["2026-03-01T12:05:01Z", "soon", ""] {
      let error = #expect(throws: DomainError.self) { try Instant(measured: text, now: now) }
      #expect(error?.code == .badTimestamp)
    }
  }
}
