package import Domain
package import Files
package import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store
internal import Synchronization

/// Creates a company from an archive, in one transaction: all of it is here, or nothing.
///
/// Every byte of the archive is checked first, and before the commit, the rows are read back and compared with it.
package struct CompanyImport: Sendable {
  /// What is imported, and how.
  package struct Options: Sendable {
    /// True to give the company and its rows new ids.
    package var hasNewIDs = false
    /// The short name; nil for that of the archive.
    package var slug: String?
    /// True to do everything but the commit.
    package var isDry = false
    /// SHA-256 of the ids of people whom the ledger names as erased; the database knows of erasures too.
    package var erased: [[UInt8]] = []

    package init() {}
  }

  /// What was imported.
  package struct Outcome: Sendable {
    package let company: UUID
    package let slug: String
    package let manifest: ArchiveManifest
    /// The number of people who had an account here, of those who got one, and of those who were erased here and are
    /// former members.
    package let people: (known: Int, new: Int, erased: Int)
  }

  private let services: Services
  private let store: any BlobStore
  private let actor: Actor

  /// - Parameter services: connected as `fettle_admin`.
  package init(_ services: Services, _ store: any BlobStore, actor: Actor) {
    self.services = services
    self.store = store
    self.actor = actor
  }

  /// Imports an archive.
  ///
  /// - Throws: `invalid_document` for an archive that is damaged, `app_version` for one of another schema or app,
  ///   `already_exists` if the company or its short name is here, `history_broken`.
  package func run(_ path: String, _ wishes: Options) async throws -> Outcome {
    let archive = try ArchiveReader(path: path)
    let slug = try Slug(parsing: wishes.slug ?? archive.manifest.company.slug).text
    let tables = try await services.database.transaction { tx in
      try Self.requireSame(archive.manifest, tx)
      try Self.requireNew(wishes.hasNewIDs ? nil : archive.manifest.company.id, slug, tx)
      return try ArchiveTable.all(tx)
    }
    try Self.requireKnown(archive.manifest, tables)
    var ids: [String: [String]] = [:]
    if wishes.hasNewIDs {
      for table in tables { ids[ArchiveManifest.member(of: table.name)] = table.ids }
    }
    var check = ArchiveCheck(archive, idColumns: ids)
    try check.run()
    let rows = wishes.hasNewIDs ? check.ids.union([archive.manifest.company.id]) : []
    let files = check.files
    var options = TransactionOptions()
    options.statementTimeout = .seconds(24 * 3_600)
    options.lockTimeout = .seconds(5)
    options.resolvesLostCommit = true
    let written = Written()
    do {
      return try await services.database.transaction(options) { tx in
        var filling = try ArchiveFilling(archive, tables, rows: rows, erased: wishes.erased, tx)
        let outcome = try filling.fill(slug: slug, by: actor, tx)
        try note(outcome, archive.manifest, isRenamed: filling.isMapped, tx)
        if wishes.isDry { throw DryRun(outcome: outcome) }
        try Self.lockFiles(of: outcome.company, tx)
        written.company.withLock { $0 = outcome.company }
        try Waiting.run { try await write(files, of: archive, to: outcome.company) }
        return outcome
      }
    } catch let dry as DryRun {
      return dry.outcome
    } catch {
      if let company = written.company.withLock(\.self) { await removeFiles(Array(files.keys), of: company) }
      throw Self.refusal(error)
    }
  }

  /// The company whose files were written.
  private final class Written: Sendable {
    let company = Mutex<UUID?>(nil)
  }

  private static func refusal(_ error: any Error) -> any Error {
    guard let error = error as? PostgresError, let state = error.sqlState else { return error }
    if state == .uniqueViolation {
      return DomainError(
        .alreadyExists,
        "the company, or a part of it, exists already",
        hint: "import it with --new-ids, and --slug"
      )
    }
    guard ["22", "23", "42"].contains(state.rawValue.prefix(2)) else { return error }
    return ArchiveReader.fault("the database does not take a row of it: \(error.message)")
  }

  /// Ends the transaction of a dry run.
  private struct DryRun: Error {
    let outcome: Outcome
  }

  /// Writes what happened to the audit of the system company; of the company too if its ids are new.
  ///
  /// The entries name companies by the SHA-256 of their ids, so that no id is left when a company is erased.
  private func note(_ outcome: Outcome, _ manifest: ArchiveManifest, isRenamed: Bool, _ tx: Transaction)
    throws
  {
    let ids = services.ids
    let detail: JSONObject = [
      "company": .string(Hex.encode(SHA256.hash(Self.bytes(outcome.company)))),
      "from": .string(Hex.encode(SHA256.hash(Self.bytes(manifest.company.id)))),
      "exported_at": .string(manifest.exportedAt), "seal": .string(manifest.seal ?? ""),
    ]
    let entry = AuditEntry(
      action: "company.imported",
      subjectType: "archive",
      subjectID: manifest.exportedAt,
      detail: JSON(detail)
    )
    func add(to company: UUID) throws {
      let context = WorkContext(company: company, actor: actor, user: nil, requestID: ids.next())
      try tx.execute(AuditWriter.insert(entry, id: ids.next(), context: context))
    }
    if isRenamed { try add(to: outcome.company) }
    try SystemCompany.inside(tx, of: outcome.company) { try add(to: SystemCompany.id) }
  }

  private static func bytes(_ id: UUID) -> [UInt8] { withUnsafeBytes(of: id.uuid) { Array($0) } }

  /// Stores the files under their digests.
  private func write(_ files: [[UInt8]: Int], of archive: ArchiveReader, to company: UUID) async throws {
    try await archive.forEachFile(files) { digest, bytes in
      let upload = UploadKey(company: company, id: services.ids.next())
      try await stored { () async throws(FilesError) in
        _ = try await store.put(bytes, as: upload)
        try await store.seal(upload, size: bytes.count, as: digest)
      }
    }
  }

  /// Lets one transaction at a time write or remove the files of a company that is imported.
  private static func lockFiles(of company: UUID, _ tx: Transaction) throws {
    try tx.execute("select pg_advisory_xact_lock(hashtextextended(\("import \(company.text)"), 7453))")
  }

  /// Removes the files of an import that has failed, unless the company is here: the answer to a commit may be lost, and
  /// another import of the company may have succeeded since. Without an answer of the database, the files stay.
  func removeFiles(_ digests: [[UInt8]], of company: UUID) async {
    // The error of the import is the news.
    try? await shielded {
      var options = TransactionOptions()
      options.statementTimeout = .seconds(3_600)
      options.lockTimeout = .seconds(3_600)
      try await services.database.transaction(options) { tx in
        try Self.lockFiles(of: company, tx)
        let isHere = try tx.value(
          "select exists (select from core.company c where c.id = \(company))",
          as: Bool.self
        )
        if isHere { return }
        try Waiting.run {
          for digest in digests { try? await store.remove(BlobKey(company: company, digest: digest)) }
          try? await store.clear(company: company)
        }
      }
    }
  }
}
