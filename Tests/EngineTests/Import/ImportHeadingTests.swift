import Domain
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

@testable import Engine

/// Headings and names that a plan gives and a file, or a company, does not have.
@Suite(.timeLimit(.minutes(60))) struct ImportHeadingTests {
  @Test func `a heading that is named must be in an object of JSON lines`() async throws {
    let shop = try await Workshop.open()
    let lines = "{\"Text\": \"Leak\"}\n{\"Text\": \"Pump\", \"Kosten\": 5}\n"
    func plan(_ cost: String) -> ImportPlan {
      ImportPlan(
        type: "maintenance.entry",
        mapping: [(column: "description", heading: "Text"), (column: "actual_cost", heading: cost)],
        fixed: [(column: "machine", value: "RM-001"), (column: "category", value: "Engine")],
        layout: FileLayout(format: .jsonl)
      )
    }
    let refusal = try await refused { _ = try await shop.importing(lines, plan("Kosten1")) }
    #expect(refusal.message == "the file has no column \"Kosten1\"")
    #expect(refusal.hint == "did you mean Kosten?")
    #expect(try await shop.importing(lines, plan("Kosten")).imported == 2)
    // The refused lines of a file need not have what the others have.
    let rest = "{\"Text\": \"Hose\", \"line\": 7, \"reason\": \"no\"}\n"
    #expect(try await shop.importing(rest, plan("Kosten")).imported == 1)
  }

  @Test func `only a record that its name describes is created for a name`() async throws {
    let shop = try await Workshop.open()
    let reading = ImportPlan(
      type: "maintenance.meter_reading",
      mapping: ["meter", "value", "taken_at"].map { (column: $0, heading: $0) }
    )
    let refusal = try await refused {
      _ = try await shop.importing("meter,value,taken_at\nNo such,5,2025-01-01T00:00:00Z\n", reading)
    }
    #expect(refusal.message.contains("there is no meter \"No such\""))
    #expect(!refusal.message.contains("--create-missing"), "\(refusal.message)")
  }
}
