internal import FoundationEssentials
internal import Glibc
internal import Postgres
internal import Secrets
internal import Store

/// What one backup contains, written last: a backup without a manifest is not finished.
struct BackupManifest: Codable {
  /// The name of the backup, which sorts by time.
  let label: String
  /// `full`, `incremental` or `dump`.
  let kind: String
  /// The backup in pgBackRest, or the snapshot of the dump in restic.
  let backup: String
  let beganAt: String
  /// The time at which the backup of the database ended, from which on every second can be restored.
  let savedAt: String
  let endedAt: String
  /// The version of the program.
  let program: String
  /// The position in the server's log before the backup began.
  let position: String
  /// The applied files of tables and changes, as `core tables 23`.
  let schema: [String]
  /// The number of rows of each table before the backup began.
  let rows: [String: Int64]
  /// The tables whose rows are never removed: a restored database has at least as many.
  let lasting: [String]
  let files: Files
  let keys: NeededKeys

  /// The files of records.
  struct Files: Codable {
    /// The place: a folder or a bucket.
    let place: String
    /// The snapshot in restic; nil for a bucket, which keeps versions of its own.
    let snapshot: String?
    let count: Int
    /// SHA-256 of the sorted names.
    let names: String
  }

  /// The secrets that a restore needs. None is in the backup, except the key file for an `age` recipient.
  struct NeededKeys: Codable {
    /// The fingerprint of the repository's passphrase.
    let passphrase: String
    /// The fingerprints of the key file that the database belongs to, as `vault 1 9f3a…`.
    let file: [String]
    /// The `age` recipient of the copy of the key file in the backup; nil if there is none.
    let recipient: String?
  }

  /// SHA-256 of the names of files.
  static func digest(ofNames names: [String]) -> String {
    Hex.encode(SHA256.hash(names.sorted().joined(separator: "\n")))
  }
}

extension Instant {
  /// The time of this machine.
  static var now: Instant {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
  }
}

/// What a database has: the schema, and rows counted in one snapshot.
struct DatabaseCensus: Sendable {
  let schema: [String]
  let rows: [String: Int64]
  let lasting: [String]
  let position: String
  let keys: [String]

  /// Counts the rows of all tables.
  ///
  /// - Parameter database: connected as `fettle_backup`, which reads every row.
  static func take(_ database: Database) async throws -> DatabaseCensus {
    var options = TransactionOptions()
    options.isolation = .repeatableRead
    options.readOnly = true
    options.statementTimeout = .seconds(24 * 3_600)
    return try await database.transaction(options) { tx in
      let tables = try tx.rows(
        """
        select n.nspname, c.relname,
          (n.nspname, c.relname) in (('core', 'history'), ('core', 'audit')) or exists (
            select from pg_attribute a
            where a.attrelid = c.oid and a.attname = 'deleted_at' and not a.attisdropped)
        from pg_class c
        join pg_namespace n on n.oid = c.relnamespace
        where c.relkind in ('r', 'p')
          and not c.relispartition
          and c.relpersistence = 'p'
          and n.nspname not in ('pg_catalog', 'information_schema')
        order by 1, 2
        """,
        String.self,
        String.self,
        Bool.self
      )
      var rows: [String: Int64] = [:]
      for (schema, table, _) in tables {
        rows["\(schema).\(table)"] = try tx.value(
          "select count(*) from \(identifier: schema).\(identifier: table)",
          as: Int64.self
        )
      }
      return DatabaseCensus(
        schema: try tx.rows(
          "select m.app || ' ' || m.kind || ' ' || m.number from core.migration m order by m.app, m.kind, m.number",
          String.self
        ),
        rows: rows,
        lasting: tables.filter(\.2).map { "\($0.0).\($0.1)" },
        position: try tx.value("select pg_current_wal_lsn()::text", as: String.self),
        keys: try tx.rows(
          """
          select k.purpose || ' ' || k.version || ' ' || encode(k.fingerprint, 'hex')
          from core.installation_key k
          order by k.purpose
          """,
          String.self
        )
      )
    }
  }

  /// Returns the differences of a restored database from a manifest, as sentences.
  func differences(from manifest: BackupManifest) -> [String] {
    manifest.rows.sorted { $0.key < $1.key }.compactMap { table, expected in
      guard let found = rows[table] else { return "the table \(table) is missing" }
      guard manifest.lasting.contains(table), found < expected else { return nil }
      return "\(table) has \(found) rows, and had \(expected) when the backup began"
    }
  }
}
