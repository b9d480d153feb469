import Domain
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

@testable import Engine

/// Files whose lines all refer to one record that no column names.
@Suite(.timeLimit(.minutes(60))) struct GivenReferenceTests {
  private static let orders = """
    Text,Cost
    Leak,100
    Leak,100
    Pump,"1,250.00"

    """

  private func importing(
    _ shop: Workshop,
    _ text: String = orders,
    machine: String,
    map: [String: String] = ["description": "Text", "actual_cost": "Cost"],
    createsMissing: Bool = false
  ) async throws -> ImportOutcome {
    let fixed = ["machine": machine, "priority": "2", "category": "Engine"]
    return try await shop.importing(
      text,
      ImportPlan(entries: map, fixed: fixed, createsMissing: createsMissing)
    )
  }

  private func machines(_ shop: Workshop) async throws -> [String] {
    try await shop.records.list(shop.operatorContext, type: "maintenance.entry", RecordQuery())
      .map { "\($0["machine_code"]?.string ?? "") \($0["category_name"]?.string ?? "")" }
  }

  @Test func `every line refers to it, and importing again adds nothing`() async throws {
    let shop = try await Workshop.open()
    let first = try await importing(shop, machine: "RM-9", createsMissing: true)
    #expect(first.imported == 3)
    #expect(first.created == ["maintenance.machine": 1])
    #expect(try await machines(shop) == Array(repeating: "RM-9 Engine", count: 3))
    let again = try await importing(shop, machine: " rm-9 ")
    #expect(again.imported == 0 && again.alreadyThere == 3 && again.differing.isEmpty)
  }

  @Test func `another one for the same lines is told, and changes nothing`() async throws {
    let shop = try await Workshop.open()
    _ = try await importing(shop, machine: "RM-9", createsMissing: true)
    let other = try await importing(shop, machine: "RM-8", createsMissing: true)
    #expect(other.imported == 0 && other.differing == [2, 3, 4])
    #expect(try await machines(shop) == Array(repeating: "RM-9 Engine", count: 3))
  }

  @Test func `one that does not exist is refused once, and not by every line`() async throws {
    let shop = try await Workshop.open()
    _ = try await importing(shop, machine: "RM-9", createsMissing: true)
    let error = try await refused { _ = try await importing(shop, machine: "RM-99") }
    #expect(error.code == .notFound)
    #expect(error.message == "there is no machine \"RM-99\"; --create-missing creates it")
  }

  @Test func `a column for it beside it is refused`() async throws {
    let shop = try await Workshop.open()
    let file = "Asset,Text\nRM-1,Leak\n"
    let error = try await refused {
      _ = try await importing(shop, file, machine: "RM-9", map: ["machine": "Asset", "description": "Text"])
    }
    #expect(error.code == .invalidInput)
    #expect(error.message == "the field machine_id is given twice")
  }

  @Test func `lines of JSON refer to it too, and an edited export keeps its own`() async throws {
    let shop = try await Workshop.open()
    let lines = "{\"Text\": \"Leak\", \"Cost\": 12.5}\n{\"Text\": \"Pump\", \"Cost\": null}\n"
    func plan(_ fixed: [(column: String, value: String)], _ format: FileLayout.Format = .csv) -> ImportPlan {
      ImportPlan(
        type: "maintenance.entry",
        mapping: format == .csv ? [] : [("description", "Text"), ("actual_cost", "Cost")],
        fixed: fixed,
        createsMissing: true,
        layout: FileLayout(format: format)
      )
    }
    let outcome = try await shop.importing(
      lines,
      plan([("machine_id", "RM-9"), ("category", "Engine")], .jsonl)
    )
    #expect(outcome.imported == 2)
    let row = try #require(
      try await shop.records.list(shop.operatorContext, type: "maintenance.entry", RecordQuery()).first
    )
    let edited = "id,version,description\n\(row["id"]?.string ?? ""),1,Hose\n"
    #expect(try await shop.importing(edited, plan([("machine", "RM-8")])).updated == 1)
    #expect(try await machines(shop) == Array(repeating: "RM-9 Engine", count: 2))
  }
}
