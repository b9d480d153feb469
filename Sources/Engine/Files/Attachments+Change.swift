internal import Domain
package import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

extension Attachments {
  /// Deletes a file. Its bytes are removed after 30 days; until then it can be restored.
  ///
  /// A member may give up an own file at any time as long as its bytes have not arrived.
  ///
  /// - Throws: `not_found`, `forbidden`, `wrong_state`, `still_referenced` if a field of a record names the file.
  package func remove(_ acting: ActingContext, _ id: UUID, dryRun: Bool = false) async throws {
    try await change(acting, id, dryRun: dryRun) { file, record, work in
      guard file.deletedAt == nil else { throw Self.unknown }
      try requireUnused(file, acting, work)
      work.changes.rows.append(
        AttachmentStore.mark(company: acting.company.id, id: id, deletedAt: record.access.now)
      )
      return (file.asHistory, .null)
    }
  }

  /// Restores a file that was deleted less than 30 days ago.
  ///
  /// - Throws: `not_found`, `forbidden`, `wrong_state`; `quota_exceeded` if the record has too many files.
  package func restore(_ acting: ActingContext, _ id: UUID, dryRun: Bool = false) async throws {
    try await change(acting, id, dryRun: dryRun) { file, record, work in
      guard file.deletedAt != nil else {
        throw DomainError(.wrongState, "the file is not deleted")
      }
      try record.requireRoom(for: record.rule(file.kind), countingUploads: false, work)
      work.changes.rows.append(AttachmentStore.mark(company: acting.company.id, id: id, deletedAt: nil))
      return (.null, file.asHistory)
    }
  }

  private func change(
    _ acting: ActingContext,
    _ id: UUID,
    dryRun: Bool,
    _ body: @escaping @Sendable (AttachmentRow, FileRecord, inout Work) throws -> (JSONValue, JSONValue)
  ) async throws {
    let context = acting.context(requestID: services.ids.next())
    _ = try await records.work.perform(context, dryRun: dryRun) { work in
      let find = AttachmentStore.find(company: acting.company.id, id: id)
      guard let known = try work.transaction.first(find, as: AttachmentRow.self),
        records.catalogue.types.contains(where: { $0.name == known.recordType })
      else { throw Self.unknown }
      let isGivenUp =
        known.state == .awaited && known.deletedAt == nil && acting.user != nil
        && known.createdBy == acting.user
      let record: FileRecord
      do {
        record = try records.lockForFile(
          acting,
          type: known.recordType,
          id: known.recordID,
          asksEdit: !isGivenUp,
          in: &work
        )
      } catch let error as DomainError where error.code == .notFound {
        throw Self.unknown
      }
      // Read again under the record's lock.
      guard let file = try work.transaction.first(find, as: AttachmentRow.self), file.purgedAt == nil else {
        throw Self.unknown
      }
      let (before, after) = try body(file, record, &work)
      try record.write((before, after), acting: acting, in: &work)
      return true
    }
  }

  /// Requires that no field of a living record names the file.
  private func requireUnused(_ file: AttachmentRow, _ acting: ActingContext, _ work: Work) throws {
    for type in records.catalogue.types {
      for reference in type.definition.references where reference.target == "core.attachment" {
        let isUsed = try work.transaction.value(
          """
          select exists (
            select from \(type.table) t
            where t.company_id = \(acting.company.id) and t.\(identifier: reference.column) = \(file.id)
              and t.deleted_at is null
          )
          """,
          as: Bool.self
        )
        guard isUsed else { continue }
        throw DomainError(
          .stillReferenced,
          "the file is the \(reference.column) of a \(type.definition.label.lowercased())",
          hint: "clear \(reference.column) first",
          details: ["type": .string(type.name), "field": .string(reference.column)]
        )
      }
    }
  }
}

extension AttachmentRow {
  /// The file as the history of its record names it.
  var asHistory: JSONValue {
    .object(["id": .string(id.text), "kind": .string(kind), "name": .string(name)])
  }
}

extension FileRecord {
  /// The maximum number of files of all kinds on a record.
  private static let mostFiles = 500

  /// Requires that the record may have another file of a kind. The record is locked.
  ///
  /// - Parameter countingUploads: true to count open uploads too.
  /// - Throws: `quota_exceeded`.
  func requireRoom(for rule: AttachmentRule, countingUploads: Bool, _ work: Work) throws {
    let company = work.context.company
    let counts = try work.readMore { pipeline in
      (
        files: pipeline.rows(
          AttachmentStore.count(company: company, type: type.name, record: id, kind: rule.kind),
          Int.self,
          Int.self
        ),
        uploads: pipeline.rows(
          UploadStore.count(company: company, type: type.name, record: id, kind: rule.kind),
          Int.self,
          Int.self
        )
      )
    }
    let files = try counts.files.first ?? (0, 0)
    let uploads = try countingUploads ? counts.uploads.first ?? (0, 0) : (0, 0)
    let limit = rule.maximumCount ?? Self.mostFiles
    guard files.0 + uploads.0 < limit, files.1 + uploads.1 < Self.mostFiles else {
      throw DomainError(
        .quotaExceeded,
        "the record can have at most \(min(limit, Self.mostFiles)) files of the kind \(rule.kind)",
        details: ["kind": .string(rule.kind), "limit": .integer(limit)]
      )
    }
  }
}
