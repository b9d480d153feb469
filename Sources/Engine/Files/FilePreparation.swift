internal import Domain
package import Files
package import FoundationEssentials
package import Postgres
package import Store

/// The database's part of the job `file.prepare`, which decides whether others may read a file.
package struct FilePreparation: Sendable {
  /// The kind of the job.
  package static let kind = "file.prepare"

  /// The prepared bytes of a file.
  package struct Result: Sendable {
    package let content: MeasuredUpload
    package let mediaType: MediaType
    /// The thumbnail as JPEG; nil without one.
    package let thumbnail: MeasuredUpload?

    package init(content: MeasuredUpload, mediaType: MediaType, thumbnail: MeasuredUpload?) {
      self.content = content
      self.mediaType = mediaType
      self.thumbnail = thumbnail
    }
  }

  private let records: Records
  private let company: UUID
  private let file: UUID
  private let owner: UUID?

  /// - Parameter owner: the owner of the private record; nil if the record belongs to the company.
  package init(_ records: Records, company: UUID, file: UUID, owner: UUID?) {
    self.records = records
    self.company = company
    self.file = file
    self.owner = owner
  }

  static func job(_ id: UUID, _ row: UploadRow) -> NewJob {
    job(id, file: row.id.text, owner: row.owner?.text, of: (row.recordType, row.recordID))
  }

  /// Returns the job that prepares a file.
  static func job(_ id: UUID, file: String, owner: String?, of record: (type: String, id: UUID)) -> NewJob {
    var payload: JSONObject = ["file_id": .string(file)]
    if let owner { payload["owner_id"] = .string(owner) }
    return NewJob(id: id, kind: kind, payload: JSON(payload), cause: record)
  }

  /// Returns the file if it waits for its preparation; nil if nothing is left to do.
  package func pending(_ database: Database) async throws -> AttachmentRow? {
    try await database.transaction(.inside(company, user: owner, readOnly: true)) { tx in
      try tx.first(AttachmentStore.find(company: company, id: file), as: AttachmentRow.self)
    }.flatMap { $0.state == .pending && $0.deletedAt == nil ? $0 : nil }
  }

  /// Claims the blobs of the result and names them in the file, before their bytes are stored.
  ///
  /// - Throws: `unavailable` while equal bytes are being removed.
  package func claim(_ result: Result, _ database: Database) async throws {
    try await database.transaction(.inside(company, user: owner)) { tx in
      for part in [result.content, result.thumbnail].compactMap({ $0 }) {
        let claim = UploadStore.claim(company: company, digest: part.digest, size: part.size)
        guard try tx.rows(claim, Bool.self).first != nil else {
          throw DomainError(.unavailable, "equal bytes are being removed")
        }
      }
      try tx.execute(
        AttachmentStore.nameBlobs(
          company: company,
          id: file,
          digest: result.content.digest,
          thumbnail: result.thumbnail?.digest
        )
      )
    }
  }

  /// Makes the file readable for others. The store has its bytes.
  package func publish(_ result: Result, _ tx: Transaction) throws {
    try enter(tx)
    for part in [result.content, result.thumbnail].compactMap({ $0 }) {
      guard try tx.rows(UploadStore.stored(company: company, digest: part.digest), Bool.self).first != nil
      else {
        throw DomainError(.unavailable, "the prepared bytes were removed")
      }
    }
    try tx.execute(
      AttachmentStore.ready(
        company: company,
        id: file,
        digest: result.content.digest,
        mediaType: result.mediaType.rawValue,
        size: result.content.size
      )
    )
    try tell(tx)
  }

  /// Refuses the file for all readers.
  ///
  /// - Parameter reason: shown to people; cut to 500 characters.
  package func refuse(_ reason: String, _ tx: Transaction) throws {
    try enter(tx)
    try tx.execute(AttachmentStore.refuse(company: company, id: file, reason: String(reason.prefix(500))))
    try tell(tx)
  }

  private func enter(_ tx: Transaction) throws {
    if let owner { try tx.act(for: owner) }
  }

  /// Puts the record into the feed, so that devices fetch the state of its files. Its version does not change.
  private func tell(_ tx: Transaction) throws {
    guard let row = try tx.first(AttachmentStore.find(company: company, id: file), as: AttachmentRow.self),
      let type = records.catalogue.types.first(where: { $0.name == row.recordType })
    else { return }
    let acting = try ActingContext.system(Self.kind, company: company, owner: owner, tx)
    try records.perform(in: tx, acting) { work in
      _ = try work.read { _ in }
      try work.tellFiles(of: type, row.recordID, owner: owner)
    }
  }
}
