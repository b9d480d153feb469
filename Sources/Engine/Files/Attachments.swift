internal import Domain
package import Files
package import FoundationEssentials
internal import Postgres
package import Store

/// The use cases of the files of records. Rights are those of the record: reading it shows its files, editing it adds
/// and removes them.
package struct Attachments: Sendable {
  /// The bytes of a file that the actor may read.
  package struct Content: Sendable {
    /// The file.
    package let file: AttachmentRow
    /// The key of the bytes.
    package let blob: BlobKey
    /// The number of bytes.
    package let size: Int
    /// The media type of the bytes.
    package let mediaType: String
  }

  let services: Services
  let records: Records

  package init(_ services: Services, _ records: Records) {
    self.services = services
    self.records = records
  }

  /// Returns the files of a record, oldest first.
  ///
  /// - Parameter deleted: true for the deleted files that can be restored.
  /// - Throws: `not_found` if the actor may not read the record.
  package func list(
    _ acting: ActingContext,
    type name: String,
    id: UUID,
    deleted: Bool = false
  ) async throws -> [AttachmentRow] {
    let type = try records.catalogue.type(name)
    let company = acting.company.id
    return try await records.reading(acting) { pipeline in
      (
        view: pipeline.rows(type.view(company: company, id: id, guards: []), as: ViewedRow.self),
        files: pipeline.rows(
          AttachmentStore.all(company: company, type: name, record: id, deleted: deleted),
          as: AttachmentRow.self
        )
      )
    } _: { _, rights, tickets in
      try Self.requireReadable(type, try tickets.view.first, rights)
      return try tickets.files.all
    }
  }

  /// Returns a file, also a deleted one.
  ///
  /// - Throws: `not_found` if there is no such file or the actor may not read its record.
  package func show(_ acting: ActingContext, _ id: UUID) async throws -> AttachmentRow {
    try await records.reading(acting) { tx, rights in try readable(id, acting, rights, tx) }
  }

  /// Opens a file for reading. No connection is held while its bytes are read.
  ///
  /// - Throws: `not_found`; `wrong_state` if the file is refused, or is not prepared yet and the actor is not the
  ///   uploader.
  package func open(
    _ acting: ActingContext,
    _ id: UUID,
    _ variant: SignedLink.Variant = .content
  ) async throws -> Content {
    try await records.reading(acting) { tx, rights in
      let file = try readable(id, acting, rights, tx)
      return try content(of: file, variant, for: acting, tx)
    }
  }

  /// Returns the id of a file, given the id or its beginning.
  ///
  /// - Throws: `not_found` if no file of the record matches, `invalid_input` if several match.
  package func find(_ acting: ActingContext, type name: String, id: UUID, _ beginning: String) async throws
    -> UUID
  {
    if let id = UUID(text: beginning) { return id }
    let found = try await list(acting, type: name, id: id).map(\.id).filter {
      !beginning.isEmpty && $0.text.hasPrefix(beginning.lowercased())
    }
    guard let first = found.first else {
      throw DomainError(.notFound, "there is no file \(Quoted(beginning)) on this record")
    }
    guard found.count == 1 else {
      throw DomainError(
        .invalidInput,
        "\(Quoted(beginning)) fits more than one file",
        hint: "write more characters of the id"
      )
    }
    return first
  }

  /// Returns the living file after the check of its record, in a read-only transaction.
  func readable(_ id: UUID, _ acting: ActingContext, _ rights: Rights, _ tx: Transaction) throws
    -> AttachmentRow
  {
    let company = acting.company.id
    guard let file = try tx.first(AttachmentStore.find(company: company, id: id), as: AttachmentRow.self),
      file.purgedAt == nil
    else { throw Self.unknown }
    guard let type = records.catalogue.types.first(where: { $0.name == file.recordType }) else {
      throw Self.unknown
    }
    let view = type.view(company: company, id: file.recordID, guards: [])
    do {
      try Self.requireReadable(type, tx.first(view, as: ViewedRow.self), rights)
    } catch let error as DomainError where error.code == .notFound {
      throw Self.unknown
    }
    return file
  }

  /// Returns the bytes of a file that may be served to the actor.
  func content(
    of file: AttachmentRow,
    _ variant: SignedLink.Variant,
    for acting: ActingContext,
    _ tx: Transaction
  ) throws -> Content {
    guard file.deletedAt == nil else { throw Self.unknown }
    let digest: [UInt8]?
    switch (file.state, variant) {
    case (.ready, .content): digest = file.digest
    case (.ready, .thumbnail): digest = file.thumbnailDigest
    case (.pending, .content) where file.createdBy != nil && file.createdBy == acting.user:
      digest = file.originalDigest
    case (.pending, _):
      throw DomainError(.wrongState, "the file is not prepared yet", hint: "try again in a few seconds")
    case (.awaited, _):
      throw DomainError(
        .wrongState,
        "the bytes of the file have not arrived yet",
        hint: "they wait on the device that attached the file"
      )
    case (.refused, _):
      throw DomainError(
        .wrongState,
        "the file was refused: \(file.refusal ?? "")",
        hint: "upload another file"
      )
    }
    guard let digest else { throw DomainError(.notFound, "the file has no thumbnail") }
    let company = acting.company.id
    guard let size = try tx.rows(AttachmentStore.size(company: company, of: digest), Int.self).first else {
      throw DomainError(.internal, "the bytes of file \(file.id.text) are not stored")
    }
    return Content(
      file: file,
      blob: BlobKey(company: company, digest: digest),
      size: size,
      mediaType: variant == .thumbnail ? MediaType.jpeg.rawValue : file.mediaType
    )
  }

  static let unknown = DomainError(.notFound, "there is no such file")

  private static func requireReadable(_ type: RecordType, _ row: ViewedRow?, _ rights: Rights) throws {
    try rights.requireApp(of: type)
    guard let document = try row?.document.value().object, rights.canRead(type, document) else {
      throw DomainError(.notFound, "there is no such \(type.definition.label.lowercased())")
    }
  }
}
