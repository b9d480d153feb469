internal import Cluster
internal import CoreCommands
internal import Domain
internal import FoundationEssentials
internal import Glibc
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
  /// Seconds without a success after which a failing archive is a fault: PostgreSQL tries again after a second, three
  /// times, and then each minute, so that one failed attempt says little.
  private static let longestFailure = 150.0
  /// Seconds after which log that waits for the archive is too old.
  private static let oldestLog = 600.0

  func run() async throws -> [HealthFinding] {
    guard let folder, let settings = try folder.settings() else {
      return [
        HealthFinding(
          "backup",
          .warning,
          "`fettle backup` is not set up here",
          remedy: "fettle backup init --to FOLDER, unless you back up otherwise"
        )
      ]
    }
    var findings = [age(try folder.manifests(), settings.engine)]
    if settings.engine == .pgbackrest { findings.append(try await archive()) }
    let data = settings.data ?? (try? ClusterHome.locate().directory) ?? "/"
    if let device = Self.device(data), device == Self.device(settings.repository) {
      findings.append(
        HealthFinding(
          "backup disk",
          .warning,
          "the backups in \(settings.repository) are on the disk of the data, and are lost with it",
          remedy:
            "copy them elsewhere, or move \(folder.path) away and run fettle backup init --to another disk"
        )
      )
    }
    return findings
  }

  private func age(_ manifests: [BackupManifest], _ engine: BackupSettings.Engine) -> HealthFinding {
    let newest = manifests.last { $0.kind != "incremental" }
    let limit = engine == .dump ? Self.oldestDump : Self.oldestFull
    let name = engine == .dump ? "dump" : "full backup"
    guard let newest, let saved = Instant(rfc3339: newest.savedAt) else {
      return HealthFinding("backup", .warning, "there is no backup yet", remedy: "fettle backup run")
    }
    let age = saved.microseconds(until: now) / 1_000_000
    guard age > limit else {
      return HealthFinding("backup", .ok, "the newest \(name) is of \(newest.savedAt)")
    }
    return HealthFinding(
      "backup",
      .warning,
      "the newest \(name) is \(age / 86_400) days old",
      remedy: "fettle backup run, and fettle backup schedule for the next ones"
    )
  }

  /// Compares the archive with the log of the server.
  private func archive() async throws -> HealthFinding {
    let row = try await database.first(
      """
      select current_setting('archive_mode') <> 'off' and position('pgbackrest' in current_setting('archive_command')) > 0,
        coalesce(a.last_failed_time > coalesce(a.last_archived_time, '-infinity'), false),
        coalesce(extract(epoch from now() - greatest(a.last_archived_time, a.stats_reset)), 0)::double precision,
        (select s.log_position from core.data_standing() s),
        pg_size_bytes(current_setting('wal_segment_size')),
        a.last_archived_wal
      from pg_stat_archiver a
      """,
      Bool.self,
      Bool.self,
      Double.self,
      Int64?.self,
      Int64.self,
      String?.self
    )
    guard let (isOn, isFailing, age, current, size, newest) = row else {
      return HealthFinding(
        "archive",
        .failed,
        "the server does not report its archive",
        remedy: "connect as fettle_admin"
      )
    }
    guard isOn else {
      return HealthFinding(
        "archive",
        .failed,
        "PostgreSQL does not archive its log: only whole backups can be restored",
        remedy: "restart PostgreSQL after fettle backup init, and remove archive settings of your own"
      )
    }
    let archived = newest.flatMap { Self.end(of: $0, size: size) }
    // The segment that is being written does not wait.
    let isWaiting = current.map { $0 / size * size > archived ?? $0 } ?? false
    if isFailing || isWaiting && age > Self.oldestLog {
      let since = "the last success was \(Int(age / 60)) minutes ago"
      return HealthFinding(
        "archive",
        age > (isFailing ? Self.longestFailure : Self.oldestLog) ? .failed : .warning,
        isFailing ? "archiving the log fails; \(since)" : "log waits for the archive; \(since)",
        remedy: "read the server's log, and free space in the folder of the backups"
      )
    }
    return HealthFinding("archive", .ok, "the log is archived")
  }

  /// Returns the position at which a segment of the log ends, from its file name: timeline, file of 4 GiB and segment in
  /// hexadecimal.
  static func end(of name: String, size: Int64) -> Int64? {
    let digits = name.prefix(24)
    guard digits.utf8.count == 24, let file = Int64(digits.dropFirst(8).prefix(8), radix: 16),
      let part = Int64(digits.suffix(8), radix: 16)
    else { return nil }
    return (file << 32) + (part + 1) * size
  }

  private static func device(_ path: String) -> dev_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_dev : nil
  }
}
