internal import Domain
internal import Files
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

extension Uploads {
  /// Makes a complete upload a file of its record.
  ///
  /// The blob is claimed before its bytes are stored, so that they are not removed in between; see `core.blob`.
  func finish(
    _ acting: ActingContext,
    _ row: UploadRow,
    _ writer: UUID,
    size: Int,
    expected: [UInt8]?
  ) async throws -> AttachmentRow {
    let store = try services.store()
    let key = UploadKey(company: acting.company.id, id: row.id)
    let measured = try await stored { () async throws(FilesError) in try await store.measure(key, size: size)
    }
    if let expected, expected != measured.digest {
      throw DomainError(
        .invalidInput,
        "the bytes have another SHA-256 than declared",
        hint: "send the file again"
      )
    }
    let media = try media(of: measured, row)
    try await claim(measured, acting, row, writer)
    try await stored { () async throws(FilesError) in
      try await store.seal(key, size: size, as: measured.digest)
    }
    let context = acting.context(requestID: services.ids.next())
    _ = try await records.work.perform(context) { work in
      try attach(row, measured, media, writer, acting, in: &work)
      return row.id
    }
    // The record may have been deleted, or may no longer be read, since a device attached the file.
    let find = AttachmentStore.find(company: acting.company.id, id: row.id)
    let options = TransactionOptions.inside(acting.company.id, user: acting.user, readOnly: true)
    let found = try await services.database.transaction(options) { tx in
      try tx.first(find, as: AttachmentRow.self)
    }
    guard let file = found else { throw Self.unknown }
    return file
  }

  /// Returns the media type of the bytes if the kind of file accepts it.
  private func media(of measured: MeasuredUpload, _ row: UploadRow) throws -> MediaType {
    let rule = try records.catalogue.type(row.recordType).definition.attachments.first { $0.kind == row.kind }
    let declared = row.name.lowercased().hasSuffix(".csv") ? MediaType.csv.rawValue : nil
    let found = Sniffer.type(head: measured.head, tail: measured.tail, declared: declared)
    if let found, let rule, rule.accepts(found.rawValue) { return found }
    let accepted = rule.map { $0.media.isEmpty ? AttachmentRule.knownMedia : $0.media } ?? []
    throw DomainError(
      .unsupportedMedia,
      found.map { "a file of the kind \(row.kind) cannot be \($0.rawValue)" }
        ?? "the content of the file is of no accepted type",
      hint: "send one of: \(accepted.joined(separator: ", "))",
      details: ["accepted": .strings(accepted)]
    )
  }

  private func claim(
    _ measured: MeasuredUpload,
    _ acting: ActingContext,
    _ row: UploadRow,
    _ writer: UUID
  ) async throws {
    let company = acting.company.id
    try await services.database.transaction(.inside(company, user: acting.user)) { tx in
      let claim = UploadStore.claim(company: company, digest: measured.digest, size: measured.size)
      guard try tx.rows(claim, Bool.self).first != nil else {
        throw DomainError(.unavailable, "equal bytes are being removed", hint: "try again in a few seconds")
      }
      let name = UploadStore.name(company: company, id: row.id, writer: writer, digest: measured.digest)
      guard try tx.rows(name, Bool.self).first != nil else { throw Self.lost }
    }
  }

  private func attach(
    _ row: UploadRow,
    _ measured: MeasuredUpload,
    _ media: MediaType,
    _ writer: UUID,
    _ acting: ActingContext,
    in work: inout Work
  ) throws {
    let company = acting.company.id
    let (access, known) = try work.read { pipeline in
      pipeline.rows(AttachmentStore.find(company: company, id: row.id), as: AttachmentRow.self)
    }
    if let file = try known.first, file.state == .awaited {
      // The record was judged when the device attached the file; it may have been completed since.
      try Rights(acting, access).requireCompany(permits: .write)
      return try arrive(row, measured, media, writer, in: &work)
    }
    let record = try records.lockForFile(acting, type: row.recordType, id: row.recordID, in: &work)
    try record.requireRoom(for: record.rule(row.kind), countingUploads: false, work)
    let finish = UploadStore.finish(company: company, id: row.id, writer: writer, received: measured.size)
    guard try work.transaction.rows(finish, Bool.self).first != nil,
      try work.transaction.rows(UploadStore.stored(company: company, digest: measured.digest), Bool.self)
        .first != nil
    else { throw Self.lost }
    work.changes.rows.append(
      AttachmentStore.insert(
        company: company,
        upload: row,
        mediaType: media.rawValue,
        size: measured.size,
        digest: measured.digest,
        at: record.access.now
      )
    )
    let file: JSONValue = .object([
      "id": .string(row.id.text), "kind": .string(row.kind), "name": .string(row.name),
    ])
    try record.write((.null, file), acting: acting, in: &work)
    work.changes.jobs.append(FilePreparation.job(work.newID(), row))
  }

  /// Gives an awaited file its bytes.
  private func arrive(
    _ row: UploadRow,
    _ measured: MeasuredUpload,
    _ media: MediaType,
    _ writer: UUID,
    in work: inout Work
  ) throws {
    let company = work.context.company
    let type = try records.catalogue.type(row.recordType)
    try work.tellFiles(of: type, row.recordID, owner: row.owner)
    let arrive = AttachmentStore.arrive(
      company: company,
      id: row.id,
      mediaType: media.rawValue,
      size: measured.size,
      digest: measured.digest
    )
    let finish = UploadStore.finish(company: company, id: row.id, writer: writer, received: measured.size)
    let stored = UploadStore.stored(company: company, digest: measured.digest)
    for statement in [finish, stored, arrive] {
      guard try work.transaction.rows(statement, Bool.self).first != nil else { throw Self.lost }
    }
    work.changes.jobs.append(FilePreparation.job(work.newID(), row))
  }

  /// Refuses an awaited file whose bytes are of no accepted type, so that nobody waits for it.
  func refuseAwaited(_ acting: ActingContext, _ id: UUID, _ error: DomainError) async throws {
    let context = acting.context(requestID: services.ids.next())
    _ = try await records.work.perform(context) { work in
      let find = AttachmentStore.find(company: acting.company.id, id: id)
      let (_, known) = try work.read { pipeline in pipeline.rows(find, as: AttachmentRow.self) }
      guard let file = try known.first, file.state == .awaited else { return false }
      try work.tellFiles(of: records.catalogue.type(file.recordType), file.recordID, owner: file.owner)
      let reason = String(error.message.prefix(500))
      let refuse = AttachmentStore.refuseAwaited(company: acting.company.id, id: id, reason: reason)
      return try work.transaction.rows(refuse, Bool.self).first != nil
    }
  }
}
