import EndToEndFixtures
import Foundation
import TestDatabase
import Testing

/// Meals at the command line, and the entitlement that presets require.
@Suite(.serialized, .timeLimit(.minutes(60))) struct MacroCommandTests {
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
}
