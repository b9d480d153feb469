package import Domain
package import Files
package import FoundationEssentials
package import Postgres
package import Store

/// Erases a company whose erasure is due: its files, then its rows in batches, then its name.
///
/// It may be interrupted at any point and run again. From its start on, nobody can enter the company.
package struct CompanyErasureRun: Sendable {
  /// What was erased by this run.
  package struct Outcome: Sendable {
    /// The number of rows by table.
    package internal(set) var rows: [String: Int64] = [:]
    /// The number of blobs and uploads.
    package internal(set) var files = 0
  }

  private let database: Database
  private let store: any BlobStore
  private let ledger: ErasureLedger
  private let erasure: UUID
  private let actor: Actor
  private let batch: Int64

  /// - Parameters:
  ///   - database: connected as `fettle_admin` or `fettle_worker`.
  ///   - batch: the number of rows of a transaction.
  package init(
    _ database: Database,
    _ store: any BlobStore,
    _ ledger: ErasureLedger,
    erasure: UUID,
    actor: Actor,
    batch: Int64 = 10_000
  ) {
    self.database = database
    self.store = store
    self.ledger = ledger
    self.erasure = erasure
    self.actor = actor
    self.batch = batch
  }

  /// Erases what is left of the company.
  ///
  /// - Parameter progress: called after each batch with the number of rows so far.
  /// - Returns: nil if the erasure is finished, cancelled or not due yet.
  package func run(progress: (Int64) async throws -> Void = { _ in }) async throws -> Outcome? {
    guard let digest = try await start() else { return nil }
    // Before the first row is gone: a restore must know of an erasure that somebody may have seen.
    try ledger.add(kind: "company", digest: digest)
    let company = try await database.transaction { [erasure] tx in
      try tx.first("select e.subject from core.erasure e where e.id = \(erasure)", UUID?.self)
    }
    guard case let company?? = company else { return nil }
    var outcome = Outcome()
    outcome.files = try await removeFiles(of: company)
    var total: Int64 = 0
    while true {
      let erased = try await eraseBatch()
      if erased.isEmpty { break }
      for (table, count) in erased {
        outcome.rows[table, default: 0] += count
        total += count
      }
      try await progress(total)
    }
    try await stored { () async throws(FilesError) in try await store.clear(company: company) }
    try await finish()
    return outcome
  }

  private func start() async throws -> [UInt8]? {
    try await database.transaction { [erasure] tx in
      try tx.value("select core.start_erasure(\(erasure))", as: [UInt8]?.self)
    }
  }

  private func removeFiles(of company: UUID) async throws -> Int {
    var (after, removed): ([UInt8], Int) = ([], 0)
    while true {
      let keys = try await database.transaction { [erasure, after] tx in
        try tx.rows("select core.erasure_files(\(erasure), \(after), \(Int32(500)))", [UInt8].self)
      }
      for key in keys {
        try await stored { () async throws(FilesError) in
          if key.count == 32 {
            try await store.remove(BlobKey(company: company, digest: key))
          } else if let id = UUID(bytes: key) {
            try await store.discard(UploadKey(company: company, id: id))
          }
        }
      }
      guard let last = keys.last else { return removed }
      (after, removed) = (last, removed + keys.count)
    }
  }

  private func eraseBatch() async throws -> [(String, Int64)] {
    var options = TransactionOptions()
    options.statementTimeout = .seconds(600)
    options.retries = 5
    return try await database.transaction(options) { [erasure, batch] tx in
      try tx.rows(
        "select b.place, b.erased from core.erase_batch(\(erasure), \(batch)) b",
        String.self,
        Int64.self
      )
    }
  }

  private func finish() async throws {
    try await database.transaction { [erasure, actor] tx in
      let rows = try tx.value("select core.finish_erasure(\(erasure))", as: Int64.self)
      try tx.execute("select set_config('fettle.company_id', \(SystemCompany.id.text), true)")
      try SystemCompany.write("company.erased", erasure: erasure, ["rows": .string("\(rows)")], by: actor, tx)
    }
  }
}

extension UUID {
  /// Creates an id from its 16 bytes; nil for another number of bytes.
  init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    var id = uuid_t(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    withUnsafeMutableBytes(of: &id) { $0.copyBytes(from: bytes) }
    self.init(uuid: id)
  }
}
