import Foundation
import TestDatabase
import Testing

/// A household at the command line: meals, items, entitlements and demo data.
@Suite(.serialized, .timeLimit(.minutes(30))) struct HomeTests {
  @Test func `a member writes down what they eat, and nobody else reads it`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany(["ana": "user", "olle": "admin"])
      try await shell.done("macros", "profile", "set", "--timezone", "Asia/Kathmandu", "--as", "ana")
      try await shell.done(
        "macros",
        "goal",
        "set",
        "--protein",
        "120",
        "--carbs",
        "0",
        "--fat",
        "60",
        "--from",
        "2026-01-01",
        "--as",
        "ana"
      )
      try await shell.done(
        "macros",
        "log",
        "--protein",
        "12.34",
        "--carbs",
        "40",
        "--at",
        "2026-03-02T10:00:00Z",
        "--as",
        "ana"
      )
      let day = try await shell.rows("macros", "day", "2026-03-02", "--as", "ana")
      #expect(day.first?["protein_g"] as? Double == 12.3 && day.first?["entries"] as? Int == 1)
      #expect(day.first?["carbs_g_percent"] is NSNull)
      let others = try await shell.rows("macros", "day", "2026-03-02", "--as", "olle")
      #expect(others.first?["entries"] as? Int == 0)
      let range = try await shell.done(
        "macros",
        "range",
        "--from",
        "2026-03-01",
        "--to",
        "2026-03-07",
        "--as",
        "ana"
      )
      #expect(range.errors.contains("over the 1 of 7 days with entries"))
      let months = try await shell.rows(
        "macros",
        "range",
        "--from",
        "2026-01-01",
        "--to",
        "2026-03-07",
        "--by",
        "month",
        "--as",
        "ana"
      )
      #expect(months.map { $0["days_logged"] as? Int } == [1])

      let wrong = try await shell.fettle("macros", "log", "--protein", "-1", "--as", "ana")
      #expect(wrong.status == 64 || wrong.status == 6, "\(wrong.errors)")
      let nobody = try await shell.fettle("macros", "log", "--protein", "1")
      #expect(nobody.status == 6 && nobody.errors.contains("--as"))
    }
  }

  @Test func `presets take pro, which the operator grants and revokes`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany(["ana": "user"])
      let arguments = [
        "macros", "preset", "add", "Porridge", "--protein", "12", "--carbs", "60", "--as", "ana",
      ]
      let refused = try await shell.fettle(arguments: arguments)
      #expect(refused.status == 4 && refused.errors.hasPrefix("error[entitlement_required]: "))
      let file = try shell.file("presets.csv", "name,protein_g,carbs_g,fat_g,position\nSoup,10,20,5,1\n")
      let imported = try await shell.fettle("record", "import", "macros.preset", file, "--as", "ana")
      #expect(imported.status == 4, "\(imported.errors)")
      let member = try await shell.fettle("entitlement", "grant", "pro", "--as", "eva")
      #expect(member.status == 4)
      try await shell.done("entitlement", "grant", "pro", "--until", "2099-01-01T00:00:00Z")
      #expect(try await shell.fettle(arguments: arguments).status == 0)
      try await shell.done("macros", "cycle", "set", "mon", "high_carb", "--as", "ana")
      try await shell.done("macros", "log", "--preset", "Porridge", "--as", "ana")
      let list = try await shell.rows("entitlement", "list")
      #expect(list.map { $0["name"] as? String } == ["pro"] && list.first?["in_force"] as? Bool == true)
      try await shell.done("entitlement", "revoke", "pro")
      let again = try await shell.fettle(
        "macros",
        "preset",
        "update",
        "Porridge",
        "--fat",
        "9",
        "--as",
        "ana"
      )
      #expect(again.status == 4)
      #expect(try await shell.rows("macros", "preset", "list", "--as", "ana").count == 1)
      let past = try await shell.rows("entitlement", "list", "--all")
      #expect(past.first?["in_force"] as? Bool == false)
      let actions = try await shell.rows("audit").compactMap { $0["action"] as? String }
      #expect(actions.contains("entitlement.granted") && actions.contains("entitlement.revoked"))
    }
  }

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

  @Test func `demo data is loaded once, whole or of one app`() async throws {
    try await Shell.open { shell in
      let first = try await shell.rows("demo", "load", "--scale", "s", "--app", "inventory")
      #expect(first.first?["records"] as? Int == 44 && first.first?["companies"] as? Int == 3)
      let all = try await shell.rows("demo", "load", "--scale", "S")
      #expect((all.first?["records"] as? Int ?? 0) > 400)
      let again = try await shell.rows("demo", "load", "--scale", "S")
      #expect(again.first?["records"] as? Int == 0 && again.first?["samples"] as? Int == 0)
      try await shell.done("demo")
      #expect(try await shell.rows("item", "list", "-c", "demo").count == 12)
      #expect(try await shell.done("demo", "refresh").output == "moved 0 records\n")
      let wrong = try await shell.fettle("demo", "load", "--scale", "S", "--app", "inventry")
      #expect(wrong.status == 3 && wrong.errors.contains("did you mean inventory?"))
    }
  }
}
