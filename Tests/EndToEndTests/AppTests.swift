import EndToEndFixtures
import Foundation
import TestDatabase
import Testing

/// Writing and using an app of one's own: the example of the documentation, from its folder.
@Suite(.serialized, .timeLimit(.minutes(60))) struct AppTests {
  @Test func `an app from a folder works from the first command to the report`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany(["ana": "user"])
      let folder = shell.folder.appending(path: "orchard").path
      let app = try ExampleApp.read()
      try app.write(to: folder)
      #expect(try await shell.done("app", "lint", folder).errors.contains("2 types, no findings"))
      let trial = try await shell.done("app", "install", folder, "--dry-run")
      #expect(trial.output.hasPrefix("would install orchard 1: 1 file of tables and changes"))
      #expect(try await shell.done("app", "install", folder).output.hasPrefix("installed orchard 1"))
      let again = try await shell.done("app", "install", folder)
      #expect(again.output == "orchard 1 is installed already: nothing to do\n")
      let listed = try #require(
        try await shell.rows("app", "list").first { $0["name"] as? String == "orchard" }
      )
      #expect(listed["version"] as? Int == 1 && listed["state"] as? String == "from a folder")
      #expect((listed["hash"] as? String)?.count == 64)

      try await shell.done(
        "record",
        "create",
        "orchard.tree",
        "code=T-1",
        "variety=Ingrid Marie",
        "--as",
        "ana"
      )
      let early = try await shell.fettle("record", "do", "orchard.tree", "bear", "T-1", "--as", "ana")
      #expect(early.status == 5)
      try await shell.done(
        "record",
        "create",
        "orchard.harvest",
        "tree_id=T-1",
        "picked_on=2026-09-01",
        "kilograms=12.5",
        "--as",
        "ana"
      )
      try await shell.done("record", "do", "orchard.tree", "bear", "T-1", "--as", "ana")
      let history = try await shell.rows("record", "history", "orchard.tree", "T-1")
      #expect(history.map { $0["what"] as? String } == ["create", "bear"])
      let yield = try await shell.rows("report", "run", "yield")
      #expect(yield.map { $0["tree"] as? String } == ["T-1"] && yield.first?["kilograms"] as? Double == 12.5)
      let reports = try await shell.rows("report", "list").compactMap { $0["name"] as? String }
      #expect(Set(reports).isSuperset(of: ["backlog", "costs", "yield"]))

      try app.upgraded().write(to: folder)
      #expect(try await shell.done("app", "upgrade", folder).output.hasPrefix("upgraded orchard from 1 to 2"))
      try await shell.done("record", "update", "orchard.tree", "T-1", "height=4.2", "--as", "ana")
      let shown = try await shell.rows("record", "show", "orchard.tree", "T-1")
      #expect(shown.first?["height"] as? Double == 4.2)
      let columns = try await shell.rows("app", "show", "orchard.tree").compactMap { $0["column"] as? String }
      #expect(columns.contains("height") && columns.contains("kilograms"))
      let kept = try await shell.fettle("app", "uninstall", "orchard", "--yes")
      #expect(kept.status == 5 && kept.errors.hasPrefix("error[app_in_use]"))
      let audit = try await shell.rows("audit", "--company", "system").compactMap { $0["action"] as? String }
      #expect(audit.contains("app.installed") && audit.contains("app.upgraded"))
    }
  }

  @Test func `an app that is refused is told every reason, and the first as the error`() async throws {
    try await Shell.open { shell in
      let folder = shell.folder.appending(path: "orchard").path
      try ExampleApp.read()
        .replacing("search: [code, variety]", with: "search: [code, varietty]", in: "orchard.app.yaml")
        .replacing(
          "[code, planted_on, kilograms]",
          with: "[code, planted, kilograms]",
          in: "orchard.app.yaml"
        )
        .write(to: folder)
      let refused = try await shell.fettle("app", "install", folder)
      #expect(refused.status == 6)
      #expect(
        refused.errors.contains("types.orchard.tree: missing_column: orchard.v_tree has no column varietty")
      )
      #expect(refused.errors.contains("error[invalid_manifest]: orchard: types.orchard.tree"))
      let committing = try ExampleApp.read().adding("changes/0001_end.sql", "commit;")
      try committing.write(to: "\(folder)-2")
      let lint = try await shell.fettle("app", "lint", "\(folder)-2", "--output", "json")
      #expect(lint.status == 6 && lint.output.contains("\"transaction_control\""))
      #expect(try await shell.rows("app", "list").allSatisfy { $0["name"] as? String != "orchard" })
    }
  }

  @Test func `an app without records is taken out again when somebody agrees`() async throws {
    try await Shell.open { shell in
      try await shell.done("app", "install", ExampleApp.folder)
      let silent = try await shell.fettle("app", "uninstall", "orchard")
      #expect(silent.status != 0 && silent.errors.contains("--yes"))
      let done = try await shell.done("app", "uninstall", "orchard", "--yes")
      #expect(done.output.hasPrefix("uninstalled orchard 1: 2 types, 1 reports"))
      #expect(try await shell.rows("app", "list").allSatisfy { $0["name"] as? String != "orchard" })
    }
  }
}
