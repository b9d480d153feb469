package import Domain
package import Files
package import FoundationEssentials
package import Postgres
internal import Store

/// What is left of a company: rows of it, texts that contain its id or a name of it, and files.
package struct ErasureProof: Sendable {
  /// The number of rows of each table with rows of companies.
  package let rows: [(table: String, count: Int64, bytes: Int64)]
  /// The number of rows that contain the id, of each table.
  package let ids: [(table: String, count: Int64)]
  /// The number of rows that contain a name, of each table. Other companies may write what they like, and the
  /// addresses of people may contain it, so they are no fault.
  package let names: [(table: String, count: Int64)]
  /// The number of its files; nil if the store cannot list them.
  package let files: Int?

  /// True if nothing is left.
  package var isEmpty: Bool {
    rows.allSatisfy { $0.count == 0 } && ids.allSatisfy { $0.count == 0 } && (files ?? 0) == 0
  }

  /// Returns the erasure and the id of an erased company, which was called by a short name; nil if there is none.
  ///
  /// - Parameter name: the former short name, or the id.
  package static func find(_ name: String, _ database: Database) async throws -> (
    erasure: UUID, company: UUID
  )? {
    try await database.transaction { tx in
      try tx.first(
        """
        select e.id, c.id
        from core.erasure e
        join core.company c on sha256(uuid_send(c.id)) = e.digest
        where e.kind = 'company' and e.started_at is not null
          and (e.label = sha256(uuid_send(e.id) || convert_to(\(name), 'utf8')) or c.id::text = \(name) or c.slug = \(name))
        order by e.requested_at desc
        """,
        UUID.self,
        UUID.self
      )
    }.map { (erasure: $0.0, company: $0.1) }
  }

  /// Counts what is left of a company.
  ///
  /// - Parameter database: connected as `fettle_backup`, which reads every row.
  package static func take(
    of company: UUID,
    names: [String],
    _ database: Database,
    _ store: any BlobStore
  ) async throws -> ErasureProof {
    let rows = try await count(of: company, database)
    let texts = try await database.transaction(reading) { tx in
      try [[company.text], names].map { texts in
        try tx.rows(
          "select c.place, c.found from core.text_census(\(texts)) c",
          String.self,
          Int64.self
        )
      }
    }
    let files = try await stored { () async throws(FilesError) in try await store.count(company: company) }
    return ErasureProof(
      rows: rows,
      ids: texts[0].map { (table: $0.0, count: $0.1) },
      names: names.isEmpty ? [] : texts[1].map { (table: $0.0, count: $0.1) },
      files: files
    )
  }

  /// Counts the rows of a company, and their bytes, by table.
  ///
  /// - Parameter database: connected as `fettle_backup`.
  package static func count(of company: UUID, _ database: Database) async throws -> [(
    table: String, count: Int64, bytes: Int64
  )] {
    try await database.transaction(reading) { tx in
      try tx.rows(
        "select c.place, c.found, c.bytes from core.company_census(\(company)) c",
        String.self,
        Int64.self,
        Int64.self
      )
    }.map { (table: $0.0, count: $0.1, bytes: $0.2) }
  }

  private static var reading: TransactionOptions {
    var options = TransactionOptions()
    options.isolation = .repeatableRead
    options.readOnly = true
    options.statementTimeout = .seconds(24 * 3_600)
    return options
  }
}

extension ErasureProof {
  /// Keeps the result in the audit of the system company.
  ///
  /// - Parameter database: connected as `fettle_admin`.
  package func record(erasure: UUID, by actor: Actor, _ database: Database) async throws {
    let detail: JSONObject = [
      "tables": .string("\(rows.count)"), "rows": .string("\(rows.reduce(0) { $0 + $1.count })"),
      "ids": .string("\(ids.reduce(0) { $0 + $1.count })"),
      "files": .string(files.map { "\($0)" } ?? "not listed"),
    ]
    try await database.transaction(.inside(SystemCompany.id)) { tx in
      try SystemCompany.write("company.erasure_proved", erasure: erasure, detail, by: actor, tx)
    }
  }
}
