import Domain
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

@testable import Engine

/// Times of a file, which are those of the company's zone wherever they stand, and follow each other.
@Suite(.timeLimit(.minutes(60))) struct ImportTimeTests {
  private static let fixed = ["machine": "RM-001", "category": "Engine", "status": "completed"]

  private func importing(
    _ text: String,
    _ shop: Workshop,
    columns: [String],
    fixed: [String: String] = [:],
    skipsBad: Bool = false
  ) async throws -> ImportOutcome {
    let map = Dictionary((columns + ["description"]).map { ($0, $0) }) { first, _ in first }
    let fixed = Self.fixed.merging(fixed) { _, last in last }
    return try await shop.importing(text, ImportPlan(entries: map, fixed: fixed, skipsBad: skipsBad))
  }

  /// The values of a column, by description.
  private func stored(_ column: String, _ shop: Workshop) async throws -> [String: String] {
    let found = try await shop.records.list(shop.operatorContext, type: "maintenance.entry", RecordQuery())
    return Dictionary(found.map { ($0["description"]?.string ?? "", $0[column]?.string ?? "") }) { first, _ in
      first
    }
  }

  @Test(arguments: [
    ("2025-03-28 14:00", "2025-03-28T13:00:00Z"), ("2025-07-28T14:00:00.250", "2025-07-28T12:00:00.25Z"),
    ("2025-03-28 22:00:00+01", "2025-03-28T21:00:00Z"), ("2025-03-28 22:00:00+0100", "2025-03-28T21:00:00Z"),
    ("2025-03-28T22:00:00.5+01:00", "2025-03-28T21:00:00.5Z"),
  ])
  func `a time means the same in a column, in a value for all lines, and in a trial`(
    text: String,
    time: String
  ) async throws {
    let shop = try await Workshop.open(timeZone: "Europe/Stockholm")
    let file = "description,completed_at\nMapped,\(text)\n"
    #expect(try await importing(file, shop, columns: ["completed_at"]).imported == 1)
    let given = try await importing(
      "description\nGiven\n",
      shop,
      columns: [],
      fixed: ["completed_at": text]
    )
    #expect(given.imported == 1)
    let moments = try await stored("completed_at", shop).mapValues { try Instant(parsing: $0).description }
    #expect(moments == ["Mapped": time, "Given": time])
    let trial = try await TemporaryFile.with(file) { path in
      var trial = ImportTrial()
      try await trial.read(
        path,
        try await shop.records.followedType("maintenance.entry", shop.operatorContext),
        ImportPlan(
          entries: ["description": "description", "completed_at": "completed_at"],
          fixed: Self.fixed
        ),
        hasRule: true,
        choices: [:],
        shop.operatorContext,
        shop.engine.operators.database
      )
      return trial
    }
    let place = try #require(trial.columns.firstIndex(of: "completed_at"))
    #expect(trial.lines.map { $0.cells[place] } == [time])
  }

  @Test func `an instant in a field of dates is a day of the company's zone, in a value for all lines too`()
    async throws
  {
    let shop = try await Workshop.open(timeZone: "Europe/Stockholm")
    let late = "2025-03-28T23:30:00Z"
    _ = try await importing("description,reported_on\nMapped,\(late)\n", shop, columns: ["reported_on"])
    _ = try await importing("description\nGiven\n", shop, columns: [], fixed: ["reported_on": late])
    #expect(try await stored("reported_on", shop) == ["Mapped": "2025-03-29", "Given": "2025-03-29"])
  }

  @Test func `a time that the clocks skipped refuses its line, and a midnight is the beginning of its day`()
    async throws
  {
    let shop = try await Workshop.open(timeZone: "Europe/Stockholm")
    let file =
      "description,completed_at\nA,2025-03-28 14:00\nB,2025-03-30 02:30\nC,2025-03-30 03:30\nD,2025-03-30\n"
    let refusal = try await refused { _ = try await importing(file, shop, columns: ["completed_at"]) }
    let reason = "\"2025-03-30 02:30\" did not exist: the clocks of Europe/Stockholm skipped it"
    #expect(refusal.message.contains("line 3: completed_at: \(reason)"), "\(refusal.message)")
    let rest = try await importing(file, shop, columns: ["completed_at"], skipsBad: true)
    #expect(rest.imported == 3 && rest.refused.map(\.line) == [3])
    let moments = try await stored("completed_at", shop).mapValues { try Instant(parsing: $0).description }
    #expect(moments["C"] == "2025-03-30T01:30:00Z" && moments["D"] == "2025-03-29T23:00:00Z")
    let given = try await refused {
      _ = try await importing(
        "description\nE\n",
        shop,
        columns: [],
        fixed: ["completed_at": "2025-03-30 02:30"]
      )
    }
    #expect(given.message.contains(reason), "\(given.message)")
    let beirut = try await Workshop.open(timeZone: "Asia/Beirut")
    _ = try await importing("description,completed_at\nF,2024-03-31\n", beirut, columns: ["completed_at"])
    let first = try await stored("completed_at", beirut).mapValues { try Instant(parsing: $0).description }
    #expect(first == ["F": "2024-03-30T22:00:00Z"])
  }

  @Test func `a time before an earlier step refuses its line, as in a transition`() async throws {
    let shop = try await Workshop.open()
    let columns = ["created_at", "started_at", "completed_at"]
    let heading = "description,created_at,started_at,completed_at\n"
    for (line, part) in [
      ("2025-02-01,2025-03-01,2025-01-10", "completed_at: 2025-01-10T00:00:00Z is before created_at"),
      ("2025-02-01,2025-01-20,2025-03-10", "started_at: 2025-01-20T00:00:00Z is before created_at"),
      (",2025-03-01,2025-02-20", "completed_at: 2025-02-20T00:00:00Z is before started_at"),
      ("2025-02-01 08:00,,2025-02-01 07:59", "is before created_at"),
    ] {
      let refusal = try await refused {
        _ = try await importing("\(heading)A,\(line)\n", shop, columns: columns)
      }
      #expect(refusal.message.contains(part), "\(refusal.message)")
    }
    // A day without a time lasts until midnight.
    let lines = [
      "2025-02-01 08:00,2025-02-01,2025-02-01", ",2025-02-01,2025-02-01", "2025-02-01,,2025-02-01",
    ]
    let file = heading + lines.map { "A,\($0)\n" }.joined()
    #expect(try await importing(file, shop, columns: columns).imported == 3)
  }
}
