import EngineFixtures
import Testing

@testable import Apps
@testable import Domain

@Suite struct GramsTests {
  @Test(arguments: [
    ("12.34", "12.3"), ("12.35", "12.4"), ("12.3499999", "12.3"), ("0", "0.0"), ("0.04", "0.0"),
    ("0.05", "0.1"),
    ("0.5", "0.5"), ("120", "120.0"), ("1999.95", "2000.0"), ("2000", "2000.0"), ("1e2", "100.0"),
    ("-0", "0.0"),
  ])
  func `an amount is rounded half up to a tenth`(_ text: String, _ stored: String) throws {
    #expect(try Grams(parsing: text).description == stored)
  }

  @Test(arguments: ["-1", "-0.04", "", "abc", "NaN", "12,3", "1.2.3", "2000.05", "1e9", "+1", " 1"])
  func `an invalid amount is refused`(_ text: String) {
    let error = #expect(throws: DomainError.self) { try Grams(parsing: text) }
    #expect(error?.code == .invalidNumber)
  }

  @Test func `energy is four, four and nine`() throws {
    let amounts = try MacroAmounts(["protein_g": 30, "carbs_g": "45.5", "fat_g": "15.1"])
    #expect(amounts.kcalTenths == 4379, "4 × 30.0 + 4 × 45.5 + 9 × 15.1")
    #expect(!amounts.isEmpty)
    #expect(try MacroAmounts(["protein_g": "0.04"]).isEmpty)
  }

  @Test func `the fields are rounded, and others are left alone`() throws {
    let fields = try MacroAmounts.rounding(["protein_g": "12.34", "fat_g": nil, "note": "12.34"])
    #expect(fields["protein_g"] == .number(try ExactDecimal(parsing: "12.3")))
    #expect(fields["fat_g"] == .null && fields["note"] == "12.34" && fields["carbs_g"] == nil)
  }

  @Test(arguments: [("monday", 1), ("Sun", 7), ("wed", 3)])
  func `a weekday is its name or three letters`(_ text: String, _ number: Int) throws {
    #expect(try Weekday(parsing: text).rawValue == number)
    #expect(throws: DomainError.self) { try Weekday(parsing: "mo") }
  }

  @Test func `a kind of day is one that goals know`() throws {
    #expect(try DayType(parsing: "High-Carb") == .highCarb)
    let error = #expect(throws: DomainError.self) { try DayType(parsing: "high_crab") }
    #expect(error?.hint == "did you mean high_carb?")
  }
}
