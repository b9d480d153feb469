import EndToEndFixtures
import Foundation
import TestDatabase
import Testing

/// `fettle company erase` as an operator runs it.
@Suite(.timeLimit(.minutes(60))) struct ErasureTests {
  @Test func `a company is counted, erased in spite of a kill, and proved gone`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      try await shell.done(
        "company",
        "create",
        "other",
        "--timezone",
        "UTC",
        "--owner",
        "o@other.example",
        "--owner-name",
        "O"
      )
      for number in 1...5 { try await shell.done("machine", "add", "RM-\(number)", "--name", "Roller") }
      let rows = try await shell.rows("company", "erase", "acme", "--dry-run")
      #expect(rows.first { $0["table"] as? String == "maintenance.machine" }?["rows"] as? Int == 5)
      #expect(rows.allSatisfy { $0["bytes"] is Int })

      let refusal = try await shell.fettle("company", "erase", "acme", "--now")
      #expect(refusal.status != 0 && refusal.errors.contains("--yes"))
      let waiting = try await shell.rows("company", "erase", "acme", "--after", "2d", "--yes")
      #expect(waiting.first?["due"] is String)
      #expect(try await shell.fettle("machine", "list", "--as", "eva").errors.contains("company_archived"))
      try await shell.done("company", "erase", "acme", "--cancel")
      try await shell.done("company", "activate", "acme")

      let killed = try shell.begin("company", "erase", "acme", "--now", "--yes")
      killed.signal(SIGKILL)
      _ = try await killed.end()
      let outcome = try await shell.done("company", "erase", "acme", "--now", "--yes")
      #expect(outcome.output.contains("erased acme"))
      let proof = try await shell.rows("company", "erase", "acme", "--proof", "--name", "Acme AB")
      let faults = proof.filter { $0["found"] as? Int != 0 && $0["what"] as? String != "name in text" }
      #expect(faults.isEmpty && proof.count > 200)
      // The address of its owner contains the name, and is hers.
      #expect(
        proof.filter { $0["what"] as? String == "name in text" }.map { $0["place"] as? String } == [
          "core.app_user"
        ]
      )
      let companies = try await shell.rows("company", "list")
      #expect(companies.compactMap { $0["slug"] as? String } == ["other"])
      #expect(try await shell.fettle("verify").status == 0)
      let ledger = try String(contentsOf: shell.folder.appending(path: "fettle.erasures"), encoding: .utf8)
      #expect(ledger.hasPrefix("\ncompany ") && ledger.split(separator: "\n").count == 1)
    }
  }

  @Test func `a restore of a backup from before erases again what was erased since`() async throws {
    try await BackupShell.open { backups in
      let shell = backups.shell
      try await shell.done(
        "member",
        "add",
        "ana@people.example",
        "--name",
        "Ana Ek",
        "--role",
        "user",
        "--company",
        "acme"
      )
      try await shell.done(
        "company",
        "create",
        "other",
        "--timezone",
        "UTC",
        "--owner",
        "o@other.example",
        "--owner-name",
        "Olle"
      )
      try await backups.setUp(recipient: true)
      try await backups.add("RM", 1...2)
      try await shell.done("backup", "run")
      let point =
        try await backups.psql("select to_char(clock_timestamp(), 'YYYY-MM-DD\"T\"HH24:MI:SS.USOF')") + ":00"
      try await shell.done("company", "erase", "other", "--now", "--yes")
      // The folder of the export stays out of the installation.
      let folder = "\(shell.folder.path)/ana"
      let exported = try await shell.rows("person", "export", "ana@people.example", "--to", folder)
      #expect(exported.first?["rows"] as? Int ?? 0 >= 2)
      let account = try String(contentsOfFile: "\(folder)/core.app_user.jsonl", encoding: .utf8)
      #expect(account.contains("Ana Ek") && !account.contains("password_hash"))
      try await shell.done("person", "erase", "ana@people.example", "--yes")
      try await shell.done("backup", "run")

      let outcome = try await backups.restore("--to", point, "--identity", backups.identity)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.output.contains("2 erased again") && outcome.output.contains("verified"))
      try await backups.withRestored { restored in
        #expect(try await backups.names(in: restored) == ["RM-1", "RM-2"])
        let companies = try await restored.rows("company", "list")
        #expect(companies.compactMap { $0["slug"] as? String } == ["acme"])
        for text in ["ana@people.example", "Ana Ek"] {
          #expect(
            try await backups.psql(
              "select count(*) from core.text_census(array['\(text)']) c where c.found > 0",
              in: restored
            ) == "0"
          )
        }
        #expect(FileManager.default.fileExists(atPath: "\(backups.target)/fettle.erasures"))
      }
    }
  }
}
