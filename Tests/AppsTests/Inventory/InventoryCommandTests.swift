import EndToEndFixtures
import Foundation
import TestDatabase
import Testing

/// The things of a household at the command line.
@Suite(.serialized, .timeLimit(.minutes(60))) struct InventoryCommandTests {
  @Test func `things have warranties, tags and claims`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany(["ana": "user"])
      try await shell.done(
        "item",
        "add",
        "Drill",
        "--category",
        "Tols",
        "--bought",
        "2024-01-31",
        "--months",
        "1",
        "--price",
        "129.00",
        "--tags",
        "gardn,tool",
        "--location",
        "Garage",
        "--as",
        "ana"
      )
      try await shell.done(
        "item",
        "add",
        "Sofa",
        "--category",
        "Furniture",
        "--months",
        "1200",
        "--as",
        "ana"
      )
      try await shell.done("item", "add", "Kettle", "--category", "Kitchen", "--warranty-until", "2199-12-31")
      #expect(
        try await shell.rows("item", "show", "Kettle").first?["warranty_expires_on"] as? String
          == "2199-12-31"
      )
      let drill = try await shell.rows("item", "show", "Drill").first
      #expect(drill?["warranty_expires_on"] as? String == "2024-02-29")
      #expect(drill?["warranty_status"] as? String == "expired")
      #expect(
        try await shell.done("tag", "rename", "gardn", "garden", "--as", "ana").output == "changed 1 items\n"
      )
      #expect(
        try await shell.done("tag", "merge", "garden", "tool", "--into", "shed", "--as", "ana").output
          == "changed 1 items\n"
      )
      #expect(try await shell.rows("tag", "list").map { $0["tag"] as? String } == ["shed"])
      try await shell.done("item", "category", "rename", "Tols", "Tools", "--as", "ana")
      try await shell.done("item", "update", "Drill", "--set", "is_favorite=true", "--as", "ana")
      try await shell.done("collection", "save", "My garage", "--filter", "location=Garage", "--as", "ana")
      let collections = try await shell.rows("collection", "list")
      let counts = Dictionary(
        uniqueKeysWithValues: collections.compactMap { row in
          (row["name"] as? String).map { ($0, row["items"] as? Int ?? -1) }
        }
      )
      #expect(counts["expired"] == 1 && counts["favourites"] == 1 && counts["category:tools"] == 1)
      #expect(counts["My garage"] == 1)
      let shown = try await shell.rows("collection", "show", "category:tools")
      #expect(shown.map { $0["name"] as? String } == ["Drill"])

      let claim =
        try await shell.rows("claim", "add", "Drill", "Motor smokes", "--as", "ana").first?["id"] as? String
      let late = try await shell.fettle("claim", "do", "submit", try #require(claim), "--as", "ana")
      #expect(late.status == 5 && late.errors.contains("not in warranty"))
      let good =
        try await shell.rows("claim", "add", "Sofa", "Leg broke", "--as", "ana").first?["id"] as? String
      try await shell.done("claim", "do", "submit", try #require(good), "--as", "ana")
      try await shell.done("claim", "do", "approve", try #require(good), "--as", "eva")
      let cover = try await shell.rows("report", "run", "warranty_cover")
      #expect(Set(cover.compactMap { $0["warranty"] as? String }) == ["active", "expired"])
    }
  }

  @Test func `a worker tells of a warranty that is about to end, once`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany(["ana": "user"])
      let ends = Date().addingTimeInterval(12 * 86_400)
      let bought = Calendar(identifier: .gregorian).date(byAdding: .year, value: -1, to: ends) ?? ends
      let day = ISO8601DateFormatter.string(from: bought, timeZone: .gmt, formatOptions: [.withFullDate])
      try await shell.done(
        "item",
        "add",
        "Drill",
        "--category",
        "Tools",
        "--bought",
        day,
        "--months",
        "12",
        "--as",
        "ana"
      )
      let worker = try shell.begin("work")
      try await until { try await !shell.rows("inbox", "list", "--as", "ana").isEmpty }
      try await shell.done("item", "update", "Drill", "--set", "warranty_months=48", "--as", "ana")
      try await until {
        try await shell.rows("inbox", "list", "--as", "ana").allSatisfy {
          $0["state"] as? String == "cancelled"
        }
      }
      worker.signal(SIGTERM)
      #expect(try await worker.end().status == 0)
      let notices = try await shell.rows("inbox", "list", "--as", "ana")
      #expect(notices.count == 1 && (notices.first?["title"] as? String)?.contains("Drill") == true)
    }
  }
}
