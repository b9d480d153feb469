import EngineFixtures
import Testing

@testable import Apps
@testable import Domain

@Suite struct WarrantyTests {
  @Test(arguments: [
    ("2024-01-31", 1, "2024-02-29"), ("2024-02-29", 12, "2025-02-28"), ("2023-01-31", 1, "2023-02-28"),
    ("2024-03-31", 1, "2024-04-30"), ("2024-12-15", 1, "2025-01-15"), ("2024-12-31", 2, "2025-02-28"),
    ("2024-02-29", 48, "2028-02-29"), ("2000-01-01", 1200, "2100-01-01"), ("2100-01-29", 1, "2100-02-28"),
  ])
  func `the last day is the same day of the month, or the month's last`(
    _ bought: String,
    _ months: Int,
    _ last: String
  ) throws {
    let warranty = try Warranty(purchased: LocalDate(parsing: bought), months: months)
    #expect(warranty.expires?.description == last)
  }

  @Test func `zero months are no warranty`() throws {
    let day = try LocalDate(parsing: "2024-01-31")
    let warranty = try Warranty(purchased: day, months: 0)
    #expect(warranty.expires == nil)
    #expect(warranty.daysRemaining(on: day) == nil)
    #expect(warranty.status(on: day) == .none)
  }

  @Test(arguments: [
    ("2024-01-29", Warranty.Status.active, 31), ("2024-01-30", .expiring, 30), ("2024-02-29", .expiring, 0),
    ("2024-03-01", .expired, -1),
  ])
  func `people are told from thirty days before to the last day`(
    _ day: String,
    _ status: Warranty.Status,
    _ days: Int
  ) throws {
    let warranty = try Warranty(purchased: LocalDate(parsing: "2024-01-31"), months: 1)
    #expect(warranty.status(on: try LocalDate(parsing: day)) == status)
    #expect(warranty.daysRemaining(on: try LocalDate(parsing: day)) == days)
  }

  @Test func `a warranty beyond reason or the calendar is refused`() throws {
    let day = try LocalDate(parsing: "9990-01-31")
    #expect(throws: DomainError.self) { try Warranty(purchased: day, months: 1201) }
    #expect(throws: DomainError.self) { try Warranty(purchased: day, months: -1) }
    #expect(throws: DomainError.self) { try Warranty(purchased: day, months: 120) }
    #expect(try Warranty(purchased: day, months: 119).expires?.description == "9999-12-31")
  }
}
