package import Files
package import FoundationEssentials
package import Postgres
internal import Store

/// The job `file.purge`: removes ended uploads, and the bytes that no file of a company needs any more.
package struct FilePurge: Sendable {
  /// The kind of the job.
  package static let kind = "file.purge"

  /// The numbers of removed uploads, blobs and parts.
  package struct Outcome: Sendable, Equatable {
    package internal(set) var uploads = 0
    package internal(set) var blobs = 0
    package internal(set) var parts = 0

    package init() {}
  }

  /// The number of rows of a batch.
  private static let batch: Int32 = 500
  /// The age in seconds of parts that belong to no upload.
  private static let oldPart = 172_800

  private let database: Database
  private let store: any BlobStore
  private let company: UUID

  package init(_ database: Database, _ store: any BlobStore, company: UUID) {
    self.database = database
    self.store = store
    self.company = company
  }

  /// Removes ended uploads and unused bytes. May be repeated at any time.
  package func run() async throws -> Outcome {
    var outcome = Outcome()
    outcome.uploads = try await removeUploads()
    _ = try await call { tx in try tx.value("select core.release_files()", as: Int.self) }
    outcome.blobs = try await removeBlobs()
    outcome.parts = try await stored { () async throws(FilesError) in
      try await store.sweep(company: company, olderThan: Self.oldPart)
    }
    return outcome
  }

  private func removeUploads() async throws -> Int {
    var removed = 0
    while true {
      let ids = try await call { tx in try tx.rows("select core.ended_uploads(\(Self.batch))", UUID.self) }
      for id in ids {
        let key = UploadKey(company: company, id: id)
        try await stored { () async throws(FilesError) in try await store.discard(key) }
        _ = try await call { tx in try tx.execute("select core.forget_upload(\(id))") }
      }
      removed += ids.count
      guard ids.count == Int(Self.batch) else { return removed }
    }
  }

  private func removeBlobs() async throws -> Int {
    var removed = 0
    while true {
      let digests = try await call { tx in
        try tx.rows("select core.remove_blobs(\(Self.batch))", [UInt8].self)
      }
      for digest in digests {
        let key = BlobKey(company: company, digest: digest)
        try await stored { () async throws(FilesError) in try await store.remove(key) }
        _ = try await call { tx in try tx.execute("select core.forget_blob(\(digest))") }
      }
      removed += digests.count
      guard digests.count >= Int(Self.batch) else { return removed }
    }
  }

  private func call<Value: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> Value) async throws
    -> Value
  {
    try await database.transaction(.inside(company)) { tx in try body(tx) }
  }
}
