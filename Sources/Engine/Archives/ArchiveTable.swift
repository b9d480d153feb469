internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// A table with rows of companies, as `core.archive_tables()` finds it in the catalogue.
struct ArchiveTable: RowDecodable, Sendable {
  /// The name with its schema.
  let name: String
  /// Columns that an archive does not have.
  let secrets: [String]
  /// References to rows of the same table.
  let later: [String]
  /// Columns with ids of rows.
  let ids: [String]
  /// True if the rows store the head of their history.
  let hasProof: Bool
  /// Why the table is in no archive; nil if it is.
  let reason: String?

  init(row: inout RowReader) throws(PostgresError) {
    name = try row.next()
    secrets = try row.next()
    later = try row.next()
    ids = try row.next()
    hasProof = try row.next()
    reason = try row.next()
  }

  /// Returns all tables, each after those that its foreign keys lead to.
  static func all(_ tx: Transaction) throws -> [ArchiveTable] {
    try tx.rows(
      """
      select t.place::text, t.secrets, t.later, t.ids, t.proof, t.reason
      from core.archive_tables() t
      order by t.depth desc, t.place::text
      """,
      as: ArchiveTable.self
    )
  }

  /// Returns the digest of the applied files of tables and changes, of the engine and of apps.
  static func schema(with apps: [String], _ tx: Transaction) throws -> String {
    try tx.value(
      """
      select encode(sha256(convert_to(string_agg(
          m.app || ' ' || m.kind || ' ' || m.number || ' ' || encode(m.checksum, 'hex'), E'\\n'
          order by m.app, m.kind, m.number), 'utf8')), 'hex')
      from core.migration m
      where m.app = 'core' or m.app = any (\(apps))
      """,
      as: String.self
    )
  }

  /// Returns the installed apps of these names; all if none are named.
  static func apps(_ names: [String]?, _ tx: Transaction) throws -> [ArchiveManifest.App] {
    try tx.rows(
      """
      select a.name, a.version, encode(a.hash, 'hex')
      from core.app a
      where \(names == nil) or a.name = any (\(names ?? []))
      order by a.name
      """,
      String.self,
      Int.self,
      String.self
    ).map { ArchiveManifest.App(name: $0.0, version: $0.1, hash: $0.2) }
  }

  /// Returns the version of each workflow of these apps that a company follows: the oldest unless it has chosen one.
  static func follows(company: UUID, apps: [String], _ tx: Transaction) throws -> [String: Int] {
    let rows = try tx.rows(
      """
      select d.record_type, coalesce(c.version, min(d.version))
      from core.workflow_definition d
      join core.record_type t on t.name = d.record_type and t.app = any (\(apps))
      left join core.workflow_choice c on c.company_id = \(company) and c.record_type = d.record_type
      group by d.record_type, c.version
      """,
      String.self,
      Int.self
    )
    return Dictionary(rows) { first, _ in first }
  }
}
