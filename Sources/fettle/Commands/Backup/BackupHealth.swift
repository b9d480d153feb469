internal import Cluster
internal import CoreCommands
internal import Domain
internal import Postgres
internal import Store

/// The checks of `fettle doctor` on backups.
struct BackupHealth {
  /// Nil if the folder of the installation cannot be used, which other checks report.
  let folder: BackupFolder?
  let database: Database
  var now = Instant.now

  /// Seconds after which the newest full backup is too old: a week and a day.
  private static let oldestFull: Int64 = 8 * 86_400
  /// Seconds after which the newest dump is too old: a night was missed.
  private static let oldestDump: Int64 = 2 * 86_400
  /// Seconds after which the last tested restore is too old: a month was missed.
  private static let oldestTest: Int64 = 40 * 86_400
  /// Seconds without a success after which a failing archive is a fault: PostgreSQL tries again after a second, three
  /// times, and then each minute, so that one failed attempt says little.
  private static let longestFailure = 150.0
  /// Seconds after which log that waits for the archive is too old.
  private static let oldestLog = 600.0

  func run() async throws -> [HealthFinding] {
    guard let folder, let standing = try BackupStanding.read(folder) else {
      return [
        HealthFinding(
          "backup",
          .warning,
          "`fettle backup` is not set up here",
          remedy: "fettle backup init --to FOLDER, unless you back up otherwise"
        )
      ]
    }
    var findings = [age(standing)]
    if !standing.newest.isEmpty { findings.append(test(standing, folder)) }
    if let time = folder.failure(of: .verify) {
      findings.append(
        HealthFinding(
          "backup verify",
          .failed,
          "damage was found at \(time)",
          remedy: "fettle backup verify, and fettle backup run --full"
        )
      )
    }
    if standing.settings.engine == .pgbackrest { findings.append(try await archive(standing, folder)) }
    if standing.isOnDataDisk {
      findings.append(
        HealthFinding(
          "backup disk",
          .warning,
          "the backups in \(standing.settings.repository) are on the disk of the data, and are lost with it",
          remedy:
            "copy them elsewhere, or move \(folder.path) away and run fettle backup init --to another disk"
        )
      )
    }
    return findings
  }

  private func age(_ standing: BackupStanding) -> HealthFinding {
    let isDump = standing.settings.engine == .dump
    let name = isDump ? "dump" : "full backup"
    guard let saved = standing.newest[standing.baseKind] else {
      return HealthFinding("backup", .warning, "there is no backup yet", remedy: "fettle backup run")
    }
    let age = saved.microseconds(until: now) / 1_000_000
    guard age > (isDump ? Self.oldestDump : Self.oldestFull) else {
      return HealthFinding("backup", .ok, "the newest \(name) is of \(saved.rfc3339)")
    }
    return HealthFinding(
      "backup",
      .warning,
      "the newest \(name) is \(age / 86_400) days old",
      remedy: "fettle backup run, and fettle backup schedule for the next ones"
    )
  }

  private func test(_ standing: BackupStanding, _ folder: BackupFolder) -> HealthFinding {
    if let time = folder.failure(of: .test) {
      return HealthFinding(
        "backup test",
        .failed,
        "the restore that was tested at \(time) differed from its backup",
        remedy: "fettle backup run --full, and fettle backup test"
      )
    }
    let age = standing.tested.map { $0.microseconds(until: now) / 1_000_000 }
    if let age, age <= Self.oldestTest, let tested = standing.tested {
      return HealthFinding("backup test", .ok, "a restore was tested at \(tested.rfc3339)")
    }
    return HealthFinding(
      "backup test",
      .warning,
      age.map { "the last tested restore is \($0 / 86_400) days old" } ?? "no restore was tested yet",
      remedy: "fettle backup test"
    )
  }

  /// Compares the archive with the log of the server.
  private func archive(_ standing: BackupStanding, _ folder: BackupFolder) async throws -> HealthFinding {
    guard let archive = try await ArchiveStanding.read(database) else {
      return HealthFinding(
        "archive",
        .failed,
        "the server does not report its archive",
        remedy: "connect as fettle_admin"
      )
    }
    guard archive.isOn else {
      return HealthFinding(
        "archive",
        .failed,
        "PostgreSQL does not archive its log: only whole backups can be restored",
        remedy: "restart PostgreSQL after fettle backup init, and remove archive settings of your own"
      )
    }
    if archive.isFailing || archive.waiting > 0 && archive.age > Self.oldestLog {
      let since = "the last success was \(Int(archive.age / 60)) minutes ago"
      return HealthFinding(
        "archive",
        archive.age > (archive.isFailing ? Self.longestFailure : Self.oldestLog) ? .failed : .warning,
        archive.isFailing ? "archiving the log fails; \(since)" : "log waits for the archive; \(since)",
        remedy: standing.settings.service == nil
          ? "read the server's log, and free space in the folder of the backups"
          : "read the server's log, and check the bucket of the backups and its credentials"
      )
    }
    return try await gaps(standing, folder) ?? HealthFinding("archive", .ok, "the log is archived")
  }

  /// Returns a finding if the archive lacks a part of the log since the newest backup; nil if it is whole.
  private func gaps(_ standing: BackupStanding, _ folder: BackupFolder) async throws -> HealthFinding? {
    do {
      let data = try ServerData(owning: standing.settings.data ?? "")
      let gaps = try await PgBackRest(folder: folder.engineFolder, data: data).gaps(sinceNewest: true)
      guard let first = gaps.first else { return nil }
      return HealthFinding(
        "archive",
        .failed,
        "a restore loses what was committed later: \(first)",
        remedy: "fettle backup run --full, with which the next restore needs no earlier log"
      )
    } catch let error as ClusterError {
      return HealthFinding(
        "archive",
        .warning,
        "the repository cannot be listed: \(error.message)",
        remedy: "run fettle doctor as the owner of the installation"
      )
    }
  }
}
