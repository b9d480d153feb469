import EndToEndFixtures
import Foundation
import Postgres
import TestDatabase
import Testing

/// Commands under a database login that the isolation of companies does not bind.
@Suite(.serialized, .timeLimit(.minutes(60))) struct LoginPowerTests {
  private static let commands = [
    "company list", "entry list", "member list", "queue stats", "queue pause --all", "job list",
    "report list", "report run backlog", "verify --quick", "history verify", "audit list",
    "export --company acme",
    "app list", "app install maintenance", "demo make", "work", "serve --listen 0", "console --port 0",
    "psql -- -c select",
  ]

  private func shell(_ shell: Shell, as user: String) -> Shell {
    Shell(folder: shell.folder, environment: shell.environment.merging(["PGUSER": user]) { $1 })
  }

  private func refuses(_ shell: Shell, _ says: String) async throws {
    for line in Self.commands {
      let words = line.split(separator: " ").map(String.init)
      let outcome = try await shell.fettle(arguments: words)
      #expect(outcome.status == 4, "\(line): \(outcome.errors)")
      #expect(outcome.output.isEmpty, "\(line): \(outcome.output)")
      #expect(outcome.errors.hasPrefix("error[login_too_powerful]: "), "\(line): \(outcome.errors)")
      #expect(outcome.errors.contains(says), "\(line): \(outcome.errors)")
    }
  }

  @Test func `a superuser is refused by every command and by workers`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      try await refuses(self.shell(shell, as: "postgres"), "postgres is a superuser")
    }
  }

  @Test func `a login that bypasses row-level security is refused`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      let backup = self.shell(shell, as: "fettle_backup")
      try await refuses(backup, "fettle_backup bypasses row-level security")
    }
  }

  @Test func `a member of the owner or of a superuser is refused, even without inheritance`() async throws {
    let database = try await TestDatabase.make()
    let superuser = database.connect(as: "postgres", poolSize: 1)
    let login = "probe_\(UUID().uuidString.lowercased().prefix(8))"
    try await superuser.execute("create role \(identifier: login) login noinherit")
    let name = try await superuser.value("select current_database()::text", as: String.self)
    try await superuser.execute("grant connect on database \(identifier: name) to \(identifier: login)")
    try await Shell.open(database) { shell in
      try await shell.makeCompany()
      for role in ["fettle_owner", "fettle_auth", "postgres"] {
        try await superuser.execute("grant \(identifier: role) to \(identifier: login)")
        let outcome = try await self.shell(shell, as: login).fettle("company", "list")
        #expect(outcome.status == 4, "\(role): \(outcome.errors)")
        #expect(outcome.errors.contains("\(login) is a member of"), "\(role): \(outcome.errors)")
        try await superuser.execute("revoke \(identifier: role) from \(identifier: login)")
      }
    }
    try await superuser.execute("revoke connect on database \(identifier: name) from \(identifier: login)")
    try await superuser.execute("drop role \(identifier: login)")
    await superuser.close()
  }

  @Test func `migrate and doctor accept a superuser, and say so`() async throws {
    try await Shell.open { shell in
      let superuser = self.shell(shell, as: "postgres")
      let migrated = try await superuser.done("migrate")
      #expect(migrated.errors.contains("postgres is a superuser"))
      let findings = try await superuser.rows("doctor")
      let login = try #require(findings.first { $0["check"] as? String == "login" })
      #expect(login["state"] as? String == "warning")
      #expect((login["finding"] as? String)?.contains("superuser") == true)
      let own = try await shell.rows("doctor").first { $0["check"] as? String == "login" }
      #expect(own?["state"] as? String == "ok")
      #expect(try await shell.done("migrate").errors.contains("superuser") == false)
    }
  }
}
