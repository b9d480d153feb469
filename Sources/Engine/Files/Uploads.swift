internal import Domain
internal import Files
package import FoundationEssentials
internal import Postgres
internal import Secrets
package import Store

/// The use cases of uploads. An upload is created for a record, receives bytes in one request or in several, and then
/// becomes a file of the record under the same id.
///
/// Only its creator may see and continue an upload. Rights on the record are checked at the creation and at the end.
package struct Uploads: Sendable {
  /// The request for an upload.
  package struct Request: Sendable {
    /// The id chosen by the client, so that a repetition is recognised; nil generates one.
    package var id: UUID?
    package var type: String
    package var record: UUID
    package var kind: String
    package var name: String
    /// The size in bytes; nil if the client does not know it.
    package var size: Int?
    /// The SHA-256 of the bytes; nil if the client does not declare it.
    package var digest: [UInt8]?

    package init(
      id: UUID? = nil,
      type: String,
      record: UUID,
      kind: String,
      name: String,
      size: Int? = nil,
      digest: [UInt8]? = nil
    ) {
      self.id = id
      self.type = type
      self.record = record
      self.kind = kind
      self.name = name
      self.size = size
      self.digest = digest
    }
  }

  /// The validity of an upload in seconds, counted from its creation: one day.
  package static let validity = 86_400

  /// The most open uploads of a member, whose bytes are stored for their validity even if they are never finished.
  package static let mostOpen = 100

  let services: Services
  let records: Records

  package init(_ services: Services, _ records: Records) {
    self.services = services
    self.records = records
  }

  /// Creates an upload, and reserves its bytes in the company's quota.
  ///
  /// The same request with the same id returns the upload that exists. The file of a device that has attached it needs no
  /// right but that judgement.
  ///
  /// - Throws: `payload_too_large`, `quota_exceeded`, `invalid_input` for an unknown kind and an empty file,
  ///   `already_exists` if the id is used for something else, and the errors of editing the record.
  package func create(_ acting: ActingContext, _ request: Request) async throws -> UploadRow {
    _ = try services.store()
    let id = request.id ?? services.ids.next()
    let name = try FileName.checked(request.name)
    let context = acting.context(requestID: services.ids.next())
    _ = try await records.work.perform(context) { work in
      let company = acting.company.id
      let (access, known) = try work.read { pipeline in
        pipeline.rows(AttachmentStore.find(company: company, id: id), as: AttachmentRow.self)
      }
      if let user = acting.user, let file = try known.first, file.state == .awaited, file.createdBy == user {
        try Rights(acting, access).requireCompany(permits: .write)
        guard file.recordType == request.type, file.recordID == request.record, file.kind == request.kind,
          file.name == name, file.deletedAt == nil, request.size == nil || request.size == file.size
        else { throw Self.taken }
        work.changes.rows.append(
          UploadStore.open(company: company, id: id, user: user, seconds: Self.validity)
        )
        return id
      }
      let record = try records.lockForFile(acting, type: request.type, id: request.record, in: &work)
      let rule = try record.rule(request.kind)
      let size = request.size ?? rule.maximumBytes
      guard size > 0 else { throw DomainError(.invalidInput, "the file is empty") }
      guard size <= rule.maximumBytes else { throw Self.tooLarge(rule.maximumBytes) }
      if let known = try work.transaction.first(
        UploadStore.find(company: company, id: id),
        as: UploadRow.self
      ) {
        try Self.require(known, isFor: request, named: name, size: size, by: acting)
        return id
      }
      guard
        try work.transaction.first(AttachmentStore.find(company: company, id: id), as: AttachmentRow.self)
          == nil
      else { throw Self.taken }
      try Self.requireFew(acting, work)
      try record.requireRoom(for: rule, countingUploads: true, work)
      try FileQuota.require(size, record.access, work)
      work.changes.rows.append(
        UploadStore.insert(
          company: company,
          id: id,
          about: (request.type, request.record),
          owner: record.type.definition.scope == .owner ? acting.user : nil,
          kind: rule.kind,
          name: name,
          size: size,
          isExact: request.size != nil,
          expected: request.digest,
          user: acting.user,
          seconds: Self.validity
        )
      )
      return id
    }
    return try await show(acting, id)
  }

  private static func requireFew(_ acting: ActingContext, _ work: Work) throws {
    guard let user = acting.user else { return }
    let open = try work.transaction.value(
      """
      select count(*)::int from core.upload u
      where u.company_id = \(acting.company.id) and u.created_by = \(user)
        and u.finished_at is null and u.expires_at > now()
      """,
      as: Int.self
    )
    guard open < mostOpen else {
      throw DomainError(
        .quotaExceeded,
        "you have \(mostOpen) uploads that are not finished",
        hint: "finish or cancel them; an upload expires after a day"
      )
    }
  }

  /// Returns an upload of the actor, open or finished.
  ///
  /// - Throws: `not_found`; `link_expired` if it has expired or was cancelled.
  package func show(_ acting: ActingContext, _ id: UUID) async throws -> UploadRow {
    try await records.reading(acting) { tx, rights in
      let row = try Self.own(id, acting, rights, tx)
      guard !row.isExpired else { throw Self.expired }
      return row
    }
  }

  /// Cancels an open upload and removes its bytes.
  ///
  /// - Throws: `not_found`, `link_expired`; `wrong_state` for a finished upload.
  package func cancel(_ acting: ActingContext, _ id: UUID) async throws {
    let store = try services.store()
    let writer = services.ids.next()
    _ = try await begin(acting, id, writer)
    let key = UploadKey(company: acting.company.id, id: id)
    do {
      try await stored { () async throws(FilesError) in try await store.discard(key) }
    } catch {
      try await shielded {
        try await run(acting, UploadStore.release(company: acting.company.id, id: id, writer: writer))
      }
      throw error
    }
    try await shielded { try await run(acting, UploadStore.expire(company: acting.company.id, id: id)) }
  }

  /// Returns an upload if the actor created it. A file that a device has attached has one, whether or not bytes have
  /// arrived.
  static func own(_ id: UUID, _ acting: ActingContext, _ rights: Rights, _ tx: Transaction) throws
    -> UploadRow
  {
    let company = acting.company.id
    let stored = try tx.first(UploadStore.find(company: company, id: id), as: UploadRow.self)
    var row = stored
    if stored?.isExpired != false {
      row = try tx.first(UploadStore.implied(company: company, id: id), as: UploadRow.self) ?? stored
    }
    guard let row, row.createdBy == acting.user, acting.user != nil || rights.isUnrestricted else {
      throw unknown
    }
    return row
  }

  /// Gives an upload to this request alone.
  ///
  /// - Throws: `stale` while another request sends bytes to it, `wrong_state` for a finished one.
  func begin(_ acting: ActingContext, _ id: UUID, _ writer: UUID) async throws -> UploadRow {
    do {
      return try await take(acting, id, writer)
    } catch {
      // The upload may have been given to a request that was cancelled before it learnt of it.
      if Task.isCancelled {
        let release = UploadStore.release(company: acting.company.id, id: id, writer: writer)
        try? await shielded { try await run(acting, release) }
      }
      throw error
    }
  }

  private func take(_ acting: ActingContext, _ id: UUID, _ writer: UUID) async throws -> UploadRow {
    let requestID = services.ids.next()
    let options = TransactionOptions.inside(acting.company.id, user: acting.user)
    return try await services.database.transaction(options) { tx in
      let rights = try Rights.read(acting, requestID: requestID, tx)
      try rights.requireCompany(permits: .write)
      let row = try Self.own(id, acting, rights, tx)
      guard !row.isExpired else { throw Self.expired }
      if let user = acting.user {
        let company = acting.company.id
        try tx.execute(UploadStore.open(company: company, id: id, user: user, seconds: Self.validity))
      }
      guard !row.isFinished else { throw DomainError(.wrongState, "the upload is finished") }
      let begin = UploadStore.begin(company: acting.company.id, id: id, writer: writer)
      guard let begun = try tx.first(begin, as: UploadRow.self) else {
        throw DomainError(
          .stale,
          "another request is sending bytes to the upload",
          hint: "try again in a minute"
        )
      }
      return begun
    }
  }

  /// Runs a statement on an upload in a transaction of its own.
  func run(_ acting: ActingContext, _ statement: SQL) async throws {
    try await services.database.transaction(.inside(acting.company.id, user: acting.user)) { tx in
      _ = try tx.execute(statement)
    }
  }

  static let unknown = DomainError(.notFound, "there is no such upload")
  static let expired = DomainError(.linkExpired, "the upload has expired", hint: "create another upload")
  static let lost = DomainError(
    .stale,
    "another request has taken over the upload",
    hint: "ask for its offset"
  )
  static let taken = DomainError(.alreadyExists, "the id is used for another file", hint: "choose another id")

  static func tooLarge(_ limit: Int) -> DomainError {
    DomainError(
      .payloadTooLarge,
      "the file is larger than \(limit) bytes",
      hint: "make the file smaller",
      details: ["limit": .integer(limit)]
    )
  }

  private static func require(
    _ known: UploadRow,
    isFor request: Request,
    named name: String,
    size: Int,
    by acting: ActingContext
  ) throws {
    guard known.createdBy == acting.user, known.recordType == request.type, known.recordID == request.record,
      known.kind == request.kind, known.name == name, known.size == size,
      known.isSizeExact == (request.size != nil),
      known.expected == request.digest
    else { throw taken }
  }
}
