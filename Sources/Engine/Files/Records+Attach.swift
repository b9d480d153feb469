internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Files that devices attach before they send the bytes.
extension Records {
  /// Attaches a file to a record. The right to do so is judged here and now; the bytes that arrive later need no other.
  ///
  /// The same file again changes nothing.
  ///
  /// - Parameter user: the member whose device has the bytes.
  /// - Throws: `invalid_input`, `invalid_name`, `payload_too_large`, `quota_exceeded`; `already_exists` if the id is used
  ///   for something else; the errors of editing the record.
  func attach(
    _ acting: ActingContext,
    _ file: AttachedFile,
    of user: UUID?,
    to type: String,
    id: UUID,
    in work: inout Work
  ) throws -> RecordAnswer {
    let name = try FileName.checked(file.name)
    let company = acting.company.id
    let record = try lockForFile(acting, type: type, id: id, in: &work)
    let rule = try record.rule(file.kind)
    let (known, upload, waiting) = try work.readMore { pipeline in
      (
        pipeline.rows(AttachmentStore.find(company: company, id: file.id), as: AttachmentRow.self),
        pipeline.rows(UploadStore.find(company: company, id: file.id), as: UploadRow.self),
        user.map { pipeline.rows(AttachmentStore.awaited(company: company, user: $0), Int.self) }
      )
    }
    if let known = try known.first {
      guard known.recordType == type, known.recordID == id, known.kind == rule.kind, known.name == name,
        known.createdBy == user, known.deletedAt == nil
      else { throw Uploads.taken }
      return RecordAnswer(
        type: type,
        id: id,
        version: try version(attaching: file.id, to: record, work) ?? record.locked.version,
        status: record.locked.status
      )
    }
    guard try upload.first == nil else { throw Uploads.taken }
    guard file.size > 0 else { throw DomainError(.invalidInput, "the file is empty") }
    guard file.size <= rule.maximumBytes else { throw Uploads.tooLarge(rule.maximumBytes) }
    guard try waiting?.first ?? 0 < AttachedFile.mostAwaited else {
      throw DomainError(
        .quotaExceeded,
        "the bytes of \(AttachedFile.mostAwaited) files of yours have not arrived",
        hint: "send them, or delete files that will never arrive"
      )
    }
    try record.requireRoom(for: rule, countingUploads: true, work)
    try FileQuota.require(file.size, record.access, work)
    work.changes.rows.append(
      AttachmentStore.await(
        company: company,
        id: file.id,
        about: (type, id),
        owner: record.type.definition.scope == .owner ? user : nil,
        kind: rule.kind,
        name: name,
        size: file.size,
        digest: file.digest,
        user: user,
        at: record.access.now
      )
    )
    let entry: JSONValue = .object([
      "id": .string(file.id.text), "kind": .string(rule.kind), "name": .string(name),
    ])
    try record.write((.null, entry), acting: acting, in: &work)
    return RecordAnswer(
      type: type,
      id: id,
      version: record.locked.version + 1,
      status: record.locked.status
    )
  }
}

extension Records {
  /// Returns the version of a record to which the attachment of a file led; nil if it is not known any more.
  private func version(attaching file: UUID, to record: FileRecord, _ work: Work) throws -> Int64? {
    try work.transaction.first(
      """
      select h.version from core.history h
      where h.company_id = \(work.context.company) and h.record_type = \(record.type.name) and h.record_id = \(record.id)
        and h.changes -> 'files' -> 1 ->> 'id' = \(file.text) and h.version is not null
      order by h.seq limit 1
      """,
      Int64.self
    )
  }
}

extension Work {
  /// Puts a record into the feed, so that devices fetch the state of its files. Its version does not change.
  ///
  /// - Parameter owner: the owner of the private record; nil if it belongs to the company.
  mutating func tellFiles(of type: RecordType, _ id: UUID, owner: UUID?) throws {
    let lock = type.lock(company: context.company, id: id)
    let locked = try readMore { pipeline in pipeline.rows(lock, as: LockedRow.self) }
    guard let record = try locked.first, !record.isDeleted else { return }
    changes.feed.append(
      FeedChange(
        recordType: type.name,
        recordID: id,
        owner: try type.feedOwner(owner),
        operation: .put,
        version: record.version
      )
    )
  }
}
