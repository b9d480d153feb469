internal import Cluster
internal import Domain
internal import FoundationEssentials
internal import Glibc
internal import Postgres

/// The state of the backups of an installation, as its folder and the disks tell it.
struct BackupStanding {
  let settings: BackupSettings
  /// The time at which the newest backup of each kind had saved the database: `full`, `incremental`, `dump`.
  let newest: [String: Instant]
  /// The time of the last restore by `fettle backup test` that found no difference.
  let tested: Instant?
  /// True if the backups are on the disk of the data.
  let isOnDataDisk: Bool

  /// Reads the state; nil before `fettle backup init`.
  static func read(_ folder: BackupFolder) throws -> BackupStanding? {
    guard let settings = try folder.settings() else { return nil }
    var newest: [String: Instant] = [:]
    for manifest in try folder.manifests() {
      guard let saved = Instant(rfc3339: manifest.savedAt) else { continue }
      newest[manifest.kind] = max(saved, newest[manifest.kind] ?? saved)
    }
    let data = settings.data ?? (try? ClusterHome.locate().directory) ?? "/"
    let disk = device(data)
    return BackupStanding(
      settings: settings,
      newest: newest,
      tested: folder.tested(),
      isOnDataDisk: settings.service == nil && disk != nil && disk == device(settings.repository)
    )
  }

  /// The kind of backup from which a restore begins.
  var baseKind: String { settings.engine == .dump ? "dump" : "full" }

  private static func device(_ path: String) -> dev_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_dev : nil
  }
}

/// The state of the archive of the log, as the server tells it.
struct ArchiveStanding {
  /// True if the server archives its log with pgBackRest.
  let isOn: Bool
  /// True if the last attempt has failed.
  let isFailing: Bool
  /// Seconds since the last success, or since the server's statistics began.
  let age: Double
  /// Bytes of the log that wait, without the file that is being written.
  let waiting: Int64

  /// Reads the state.
  ///
  /// - Parameter database: connected as `fettle_admin`.
  static func read(_ database: Database) async throws -> ArchiveStanding? {
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
    guard let (isOn, isFailing, age, current, size, newest) = row else { return nil }
    let archived = newest.flatMap { end(of: $0, size: size) }
    // The file that is being written does not wait; before the first success, nothing is known to wait.
    let begun = current.map { $0 / size * size }
    let waiting = begun.flatMap { begun in archived.map { max(0, begun - $0) } } ?? 0
    return ArchiveStanding(isOn: isOn, isFailing: isFailing, age: age, waiting: waiting)
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
}
