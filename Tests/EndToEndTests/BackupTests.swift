import Cluster
import EndToEndFixtures
import Foundation
import TestDatabase
import Testing

/// Backups and restores with the real programs: pgBackRest, restic, age and pg_dump.
@Suite(.serialized, .timeLimit(.minutes(60))) struct BackupTests {
  @Test func `a point between two writes is restored with exactly those before it`() async throws {
    try await BackupShell.open { backups in
      let shell = backups.shell
      let empty = try await shell.fettle("backup", "run")
      #expect(empty.status == 3)
      #expect(empty.errors.contains("fettle backup init --to"))
      try await backups.setUp(recipient: true)
      try await backups.add("before", 1...2)
      try await shell.done("job", "enqueue", "history.seal", "--company", "acme")
      let full = try await shell.rows("backup", "run")
      #expect(full.first?["kind"] as? String == "full")
      try await backups.add("before", 3...5)
      let point =
        try await backups.psql("select to_char(clock_timestamp(), 'YYYY-MM-DD\"T\"HH24:MI:SS.USOF')") + ":00"
      try await backups.add("after", 1...3)
      try await shell.done("backup", "run")
      let listed = try await shell.rows("backup", "list")
      #expect(listed.map { $0["kind"] as? String } == ["full", "incremental"])
      #expect(listed.allSatisfy { $0["key_file"] as? String == "saved" })
      #expect(try await shell.done("backup", "verify").errors.contains("every byte"))

      let outcome = try await backups.restore("--to", point, "--identity", backups.identity)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.output.contains("verified"))
      try await backups.withRestored { restored in
        #expect(
          try await backups.names(in: restored) == [
            "before-1", "before-2", "before-3", "before-4", "before-5",
          ]
        )
        let pauses = try await restored.rows("queue", "list")
        #expect(pauses.map { $0["company"] as? String } == ["all"])
        #expect(try await backups.psql("show archive_mode", in: restored) == "off")
        #expect(try await backups.psql("show restore_command", in: restored) == "")
        let epochs = [try await shell.rows("sync", "epoch"), try await restored.rows("sync", "epoch")]
        #expect(epochs[0].first?["epoch"] as? String != epochs[1].first?["epoch"] as? String)
        #expect(try await restored.fettle("doctor").status == 0)
        // A worker of the copy runs no job, and so sends nothing, until it is told to.
        let worker = try restored.begin("work")
        try await worker.says("working")
        worker.signal(SIGTERM)
        _ = try await worker.end()
        let jobs = try await restored.rows("job", "list", "--company", "acme")
        #expect(!jobs.isEmpty && jobs.allSatisfy { $0["state"] as? String == "queued" })
      }
    }
  }

  @Test func `after a crash without its folder, every acknowledged write in the archive is there`()
    async throws
  {
    try await BackupShell.open { backups in
      try await backups.setUp()
      try await backups.add("early", 1...2)
      let key = try Data(contentsOf: URL(filePath: "\(backups.home)/fettle.key"))
      let copy = "\(backups.shell.folder.path)/fettle.key"
      try key.write(to: URL(filePath: copy))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy)
      // Writes while the backup runs.
      async let backup = backups.shell.done("backup", "run")
      try await backups.add("during", 1...12)
      let saved = try await backup
      #expect(saved.status == 0)
      let archived = try await backups.names(in: backups.shell)
      try await backups.archiveAll()
      try await backups.add("late", 1...2)
      try EmbeddedCluster(home: ClusterHome(directory: backups.home)).crash()
      try FileManager.default.removeItem(atPath: backups.home)

      let outcome = try await backups.restore("--key-file", copy)
      #expect(outcome.status == 0, "\(outcome.errors)")
      try await backups.withRestored { restored in
        let names = try await backups.names(in: restored)
        #expect(archived.count == 14)
        #expect(names.isSuperset(of: archived))
        let verified = try await restored.done("verify").errors
        #expect(verified.contains("verified"))
      }
    }
  }

  @Test func `a restore is refused before it begins, with a remedy, and leaves nothing behind`() async throws
  {
    try await BackupShell.open { backups in
      try await backups.setUp()
      try await backups.psql(
        """
        insert into core.migration (app, kind, number, name, checksum, duration_ms)
        values ('core', 'change', 999, 'of_a_later_version', decode(repeat('00', 32), 'hex'), 0)
        """
      )
      try await backups.shell.done("backup", "run")
      func refused(_ remedy: String, _ options: String...) async throws {
        let outcome = try await backups.restore(options)
        #expect(outcome.status != 0 && outcome.status != 8)
        #expect(outcome.errors.contains(remedy), "\(outcome.errors)")
        #expect(!FileManager.default.fileExists(atPath: backups.target))
      }
      let key = "\(backups.home)/fettle.key"
      try await refused("--key-file or --identity")
      try await refused("or add --without-key", "--key-file", "\(key).missing")
      try await refused("or add --without-key", "--identity", "\(key).missing")
      try await refused("or leave it out", "--key-file", key, "--passphrase-file", "\(key).missing")
      try await refused("or later, and restore with it", "--key-file", key)
      try await backups.psql("delete from core.migration where number = 999")
      try await backups.shell.done("backup", "run")
      let other = try backups.shell.file("other.key", try otherKey(like: key))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: other)
      try await refused("the file that was kept with this backup", "--key-file", other)
      try await refused("the file that you have kept", "--identity", other)
      try await refused("fettle backup list", "--key-file", key, "--to", "2020-01-01T00:00:00Z")
      try await refused("fettle backup list", "--key-file", key, "--backup", "20200101-000000F")
      try await refused("name an earlier time", "--key-file", key, "--to", "2099-01-01T00:00:00Z")
      let wrong = try backups.shell.file("passphrase", "WRONG\n")
      let nowhere = try await backups.shell.fettle(
        arguments: ["restore", "--from", "/proc/no", "--into", backups.target, "--without-key"]
          + ["--passphrase-file", wrong]
      )
      #expect(nowhere.status == 3, "\(nowhere.errors)")
      let unusable = try await backups.shell.fettle(
        arguments: ["restore", "--from", backups.repository, "--into", "/proc/no", "--without-key"]
          + ["--passphrase-file", wrong]
      )
      #expect(unusable.status == 6 && unusable.errors.contains("cannot write"), "\(unusable.errors)")
      let refusal = try await backups.restore(["--key-file", key, "--passphrase-file", wrong])
      #expect(refusal.status == 6, "\(refusal.errors)")
      try await refused("check the passphrase", "--key-file", key, "--passphrase-file", wrong)
      // Nothing is restored over data.
      try FileManager.default.createDirectory(atPath: backups.target, withIntermediateDirectories: true)
      try Data("mine".utf8).write(to: URL(filePath: "\(backups.target)/mine"))
      let full = try await backups.restore(["--key-file", key])
      #expect(full.status == 5)
      let left = try FileManager.default.contentsOfDirectory(atPath: backups.target)
      #expect(left == ["mine"])
      let again = try await backups.shell.fettle("backup", "init", "--to", "\(backups.repository)2")
      #expect(again.status == 5)
    }
  }

  /// A PNG of one point.
  static let picture =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

  /// Returns a key file whose first key differs.
  private func otherKey(like path: String) throws -> String {
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    let bytes = Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
    return lines.map { line in
      let words = line.split(separator: " ")
      return words.first == "pepper" ? "pepper \(words[1]) \(bytes)" : String(line)
    }.joined(separator: "\n") + "\n"
  }

  @Test func `a flipped byte is named, and a failing archive or an old backup is reported`() async throws {
    try await BackupShell.open { backups in
      func state(_ check: String) async throws -> String? {
        try await backups.finding(check)?["state"] as? String
      }
      #expect(try await state("backup") == "warning")
      try await backups.setUp()
      #expect(try await state("backup") == "warning")
      try await backups.shell.done("backup", "run")
      #expect(try await state("backup") == "ok")
      #expect(try await state("archive") == "ok")
      #expect(try await state("backup disk") == "warning")
      #expect(try await state("backup test") == "warning")
      let metrics = try await backups.shell.done("backup", "metrics").output
      for line in [
        "# TYPE fettle_backup_timestamp_seconds gauge", "fettle_backup_test_timestamp_seconds 0",
        "fettle_backup_archive_failing 0", "fettle_backup_on_data_disk 1",
      ] { #expect(metrics.contains("\(line)\n"), "\(line) in \(metrics)") }
      #expect(metrics.contains(#"fettle_backup_timestamp_seconds{kind="full"} 1"#), "\(metrics)")
      #expect(!metrics.contains(#"kind="incremental""#))

      let damaged = try backups.flip(below: "\(backups.repository)/database/archive/fettle", suffix: ".zst")
      let found = try await backups.shell.fettle("backup", "verify", "--output", "json")
      #expect(found.status == 8)
      #expect(found.output.contains(String(damaged.prefix(24))), "\(damaged): \(found.output)")
      let pack = try backups.flip(below: "\(backups.repository)/files/data", suffix: "")
      let both = try await backups.shell.fettle("backup", "verify", "--output", "json")
      #expect(both.status == 8)
      #expect(both.output.contains(String(pack.prefix(8))), "\(pack): \(both.output)")
      #expect(try await state("backup verify") == "failed")

      // Commits go on while the archive cannot be written.
      let database = "\(backups.repository)/database"
      try FileManager.default.moveItem(atPath: database, toPath: "\(database)-away")
      try await backups.add("unarchived", 1...1)
      try await backups.psql("select pg_switch_wal()")
      try await until {
        let outcome = try await backups.shell.fettle("doctor", "--output", "json")
        return outcome.output.contains("archiving the log fails")
      }
      let failed = try await backups.shell.fettle("backup", "run")
      #expect(failed.status == 7 && failed.errors.contains("and its free space"), "\(failed.errors)")
      let file = "\(backups.shell.folder.path)/fettle.prom"
      try await backups.shell.done("backup", "metrics", "--to", file)
      #expect(try String(contentsOfFile: file, encoding: .utf8).contains("fettle_backup_archive_failing 1\n"))
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      #expect(attributes[.posixPermissions] as? Int == 0o644)
      try FileManager.default.moveItem(atPath: "\(database)-away", toPath: database)

      let record = try #require(try backups.records().first)
      let text = try String(contentsOfFile: record, encoding: .utf8)
      let old = text.replacing(try Regex(#""savedAt":"[0-9]{4}"#), with: "\"savedAt\":\"2020")
      try Data(old.utf8).write(to: URL(filePath: record))
      #expect(try await state("backup") == "warning")
    }
  }

  @Test func `a damaged or missing segment of the log is named by each restore and check`() async throws {
    try await BackupShell.open { backups in
      try await backups.setUp()
      try await backups.shell.done("backup", "run")
      try await backups.add("early", 1...1)
      try await backups.archiveAll()
      try await backups.add("lost", 1...1)
      let lost = try await backups.archiveAll()
      try await backups.add("late", 1...1)
      try await backups.archiveAll()
      #expect(try await backups.shell.done("backup", "test").output.contains("verified"))

      let archive = "\(backups.repository)/database/archive/fettle"
      let paths = FileManager.default.enumerator(atPath: archive)?.allObjects as? [String]
      let path = try #require(paths?.first { $0.contains("/\(lost)-") })
      _ = try backups.flip(below: archive, suffix: path)
      let tested = try await backups.shell.fettle("backup", "test")
      #expect(tested.status == 8 && tested.errors.contains(lost), "\(tested.errors)")
      #expect(try await backups.finding("backup test")?["state"] as? String == "failed")

      try FileManager.default.removeItem(atPath: "\(archive)/\(path)")
      let outcome = try await backups.restore("--key-file", "\(backups.home)/fettle.key")
      #expect(outcome.status == 8 && outcome.errors.contains(lost), "\(outcome.errors)")
      try await backups.withRestored { (restored) async throws in
        #expect(try await backups.names(in: restored) == ["early-1"])
      }
      let verified = try await backups.shell.fettle("backup", "verify", "--output", "json")
      #expect(verified.status == 8 && verified.output.contains(lost), "\(verified.output)")
      let gap = try await backups.finding("archive")
      #expect(gap?["state"] as? String == "failed" && "\(gap ?? [:])".contains(lost))
      // A new backup needs nothing of the earlier log.
      try await backups.shell.done("backup", "run", "--full")
      #expect(try await backups.finding("archive")?["state"] as? String == "ok")
      #expect(try await backups.shell.done("backup", "test").output.contains("verified"))
      #expect(try await backups.finding("backup test")?["state"] as? String == "ok")
    }
  }

  @Test func `a server elsewhere is dumped, and a file that was removed since is back`() async throws {
    try await Shell.open { shell in
      let backups = BackupShell(shell: shell)
      try await shell.makeCompany()
      try await shell.done("machine", "add", "RM-1", "--company", "acme")
      let photo = shell.folder.appending(path: "pump.png")
      try #require(Data(base64Encoded: Self.picture)).write(to: photo)
      try await shell.done("file", "add", "maintenance.machine", "RM-1", photo.path, "--company", "acme")
      let outcome = try await shell.done("backup", "init", "--to", backups.repository, "--output", "json")
      try backups.keepPassphrase(outcome.output)
      #expect(outcome.output.contains("dump"))
      try await shell.done("backup", "run")
      let blobs = shell.folder.appending(path: "blobs")
      let stored = try backups.blobs(below: blobs.path)
      #expect(stored.count == 1)
      try FileManager.default.removeItem(at: blobs)
      try await shell.done("machine", "add", "RM-2", "--company", "acme")

      let restored = try await backups.restore(["--without-key"])
      #expect(restored.status == 0, "\(restored.errors)")
      #expect(try backups.blobs(below: "\(backups.target)/blobs") == stored)
      try await backups.withRestored { restored in
        let machines = try await restored.rows("machine", "list", "--company", "acme")
        let pauses = try await restored.rows("queue", "list")
        #expect(machines.count == 1 && pauses.count == 1)
      }
      let tested = try await shell.done("backup", "test")
      #expect(tested.output.contains("verified"))
      let metrics = try await shell.done("backup", "metrics").output
      #expect(metrics.contains("fettle_backup_test_timestamp_seconds 1"), "\(metrics)")
      #expect(
        metrics.contains(#"fettle_backup_timestamp_seconds{kind="dump"} 1"#) && !metrics.contains("archive")
      )
      let finding = try await shell.rows("doctor").first { $0["check"] as? String == "backup test" }
      #expect(finding?["state"] as? String == "ok")
      #expect(!FileManager.default.fileExists(atPath: "\(shell.folder.path)/backup/test"))
    }
  }

  @Test func `a cluster of one's own is backed up by its data folder, and a schedule is printed`()
    async throws
  {
    try await BackupShell.open { backups in
      let cluster = EmbeddedCluster(home: ClusterHome(directory: backups.home))
      let own = Shell(
        folder: backups.shell.folder,
        environment: [
          "PATH": "/usr/bin:/bin", "FETTLE_HOME": "\(backups.shell.folder.path)/own",
          "FETTLE_KEY_FILE": "\(backups.home)/fettle.key",
          "DATABASE_URL": "postgresql:///fettle?host=\(cluster.socketDirectory)&port=\(cluster.port)",
        ]
      )
      let set = try await own.done(
        "backup",
        "init",
        "--to",
        backups.repository,
        "--data",
        cluster.data,
        "--output",
        "json"
      )
      try backups.keepPassphrase(set.output)
      // Files of one's own, which would listen on another port, load what is not here, and refuse everybody.
      let files = [
        "postgresql.conf": "port = 6543\nlisten_addresses = '*'\nshared_preload_libraries = 'missing'\n",
        "pg_hba.conf": "local all all reject\n",
      ]
      for (name, text) in files {
        let handle = try FileHandle(forWritingTo: URL(filePath: "\(cluster.data)/\(name)"))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
      }
      try await backups.add("own", 1...2)
      try await own.done("backup", "run")
      #expect(try await own.done("backup", "schedule", "--at", "04:05").output.contains("5 04 * * * "))
      let outcome = try await backups.restore("--key-file", "\(backups.home)/fettle.key")
      #expect(outcome.status == 0, "\(outcome.errors)")
      try await backups.withRestored { restored in
        let names = try await backups.names(in: restored)
        #expect(names == ["own-1", "own-2"])
      }
    }
  }
}
