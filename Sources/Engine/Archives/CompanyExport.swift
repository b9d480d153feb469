internal import Domain
package import Files
package import FoundationEssentials
package import Postgres
internal import Secrets
internal import Store
internal import Zip

/// Writes a company to an archive: a ZIP with lines of JSON for each table, as one snapshot has them, and the stored files.
///
/// Passwords, tokens, sessions, devices and jobs never travel; see `core.archive_tables()`. Memory does not grow with the
/// number of rows: 40 bytes a file.
package struct CompanyExport: Sendable {
  private let database: Database
  private let store: any BlobStore
  private let program: String

  /// - Parameters:
  ///   - database: connected as `fettle_backup`, which reads every row.
  ///   - program: the version of the program, for the manifest.
  package init(_ database: Database, _ store: any BlobStore, program: String) {
    self.database = database
    self.store = store
    self.program = program
  }

  /// Writes the archive, which only its owner can read.
  ///
  /// - Throws: `already_exists` if there is such a file, `not_found`, or `internal` if the store lacks a file. Then no file is
  ///   left.
  package func run(company: UUID, to path: String) async throws -> ArchiveManifest {
    guard !FileManager.default.fileExists(atPath: path) else {
      throw DomainError(.alreadyExists, "\(path) exists already", hint: "name a file that does not exist")
    }
    let draft = "\(path).part"
    let writer: ZipWriter
    do throws(ZipError) {
      writer = try ZipWriter(path: draft)
    } catch {
      // Another export may be writing to it.
      throw DomainError(
        .invalidInput,
        error.description,
        hint: "name a file in a folder that you may write to; remove \(draft) if no other export is running"
      )
    }
    do {
      let manifest = try await write(company, to: writer)
      try writer.finish()
      try FileManager.default.moveItem(atPath: draft, toPath: path)
      return manifest
    } catch {
      try? FileManager.default.removeItem(atPath: draft)  // the failure is the news
      guard let fault = error as? ZipError else { throw error }
      throw DomainError(
        .unavailable,
        "cannot write \(path): \(fault.description)",
        hint: "check the free space"
      )
    }
  }

  private func write(_ company: UUID, to writer: ZipWriter) async throws -> ArchiveManifest {
    var options = TransactionOptions()
    options.isolation = .repeatableRead
    options.readOnly = true
    options.statementTimeout = .seconds(24 * 3_600)
    let (snapshot, files) = try await database.transaction(options) { tx in
      (
        try ArchiveSnapshot(of: company, to: writer, tx),
        try StoredBlobs(of: company, tx)
      )
    }
    // After the snapshot: a file that is removed since then is kept for 30 days.
    for index in files.sizes.indices {
      let key = BlobKey(company: company, digest: files.digest(index))
      let bytes = try await stored { () async throws(FilesError) in
        try await store.all(key, size: files.sizes[index])
      }
      try writer.begin(
        ArchiveManifest.fileFolder + Hex.encode(key.digest),
        size: bytes.count,
        isCompressed: false
      )
      try writer.write(bytes)
    }
    let manifest = snapshot.manifest(
      program: program,
      files: files.sizes.count,
      bytes: files.sizes.reduce(0, +)
    )
    try writer.begin(ArchiveManifest.name)
    try writer.write(Array(try JSON(encoding: manifest).text.utf8))
    return manifest
  }
}

/// The stored files of a company, in 40 bytes each.
private struct StoredBlobs: Sendable {
  private var digests: [UInt8] = []
  private(set) var sizes: [Int] = []

  init(of company: UUID, _ tx: Transaction) throws {
    let query: SQL = """
      select b.sha256, b.size_bytes
      from core.blob b
      where b.company_id = \(company) and b.stored_at is not null and b.removing_at is null
      order by b.sha256
      """
    var (digests, sizes): ([UInt8], [Int]) = ([], [])
    try tx.forEach(query, [UInt8].self, Int.self) { digest, size in
      digests += digest
      sizes.append(size)
    }
    (self.digests, self.sizes) = (digests, sizes)
  }

  func digest(_ index: Int) -> [UInt8] { Array(digests[(index * 32)..<(index * 32 + 32)]) }
}
