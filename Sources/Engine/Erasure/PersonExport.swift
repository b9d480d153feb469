package import FoundationEssentials
package import Postgres
internal import Store

/// What is kept about a person, for her (articles 15 and 20).
package enum PersonExport {
  /// A file that she uploaded.
  package struct StoredFile: RowDecodable, Sendable {
    package let company: UUID
    package let id: UUID
    package let name: String
    package let digest: [UInt8]
    package let size: Int

    package init(row: inout RowReader) throws(PostgresError) {
      company = try row.next()
      id = try row.next()
      name = try row.next()
      digest = try row.next()
      size = try row.next()
    }
  }

  /// Calls a body with each row about a person, with the table it is from.
  ///
  /// - Parameter database: connected as `fettle_backup`, which reads every row.
  package static func rows(
    of user: UUID,
    _ database: Database,
    _ body: @escaping @Sendable (String, JSON) throws -> Void
  ) async throws {
    var options = TransactionOptions()
    options.isolation = .repeatableRead
    options.readOnly = true
    options.statementTimeout = .seconds(24 * 3_600)
    try await database.transaction(options) { tx in
      try tx.forEach(
        "select r.place, r.contents from core.person_rows(\(user)) r",
        String.self,
        JSON.self
      ) { place, contents in try body(place, contents) }
    }
  }

  /// Returns the files that a person uploaded and that are stored.
  package static func files(of user: UUID, _ database: Database) async throws -> [StoredFile] {
    try await database.rows(
      """
      select a.company_id, a.id, a.name, a.sha256, a.size_bytes
      from core.attachment a
      where a.created_by = \(user) and a.state = 'ready' and a.purged_at is null
      order by a.id
      """,
      as: StoredFile.self
    )
  }
}
