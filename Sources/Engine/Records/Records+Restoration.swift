internal import Domain
package import FoundationEssentials
internal import Postgres
internal import Secrets
package import Store

extension Records {
  /// Restores a deleted record and those deleted with it.
  ///
  /// - Parameters:
  ///   - version: the expected version; nil skips the check.
  ///   - comment: the reason, for the history.
  /// - Throws: `wrong_state` if the record is not deleted, `parent_deleted` if its parent is,
  ///   `already_exists` if another record has taken its key, `quota_exceeded`, `stale`, `not_found`,
  ///   `forbidden`, and the errors of the rules of the restored types.
  package func restore(
    _ acting: ActingContext,
    type name: String,
    id: UUID,
    version: Int64? = nil,
    comment: String? = nil,
    key: String? = nil,
    dryRun: Bool = false
  ) async throws -> RecordAnswer {
    let asked = "restore \(id.text) \(version ?? 0) \(comment ?? "")"
    let idempotency = key.map { ($0, hash(asked, name, [:])) }
    return try await perform(acting, idempotency: idempotency, dryRun: dryRun) { work in
      try restore(acting, type: name, id: id, version: version, comment: comment, in: &work)
    }
  }

  /// Restores a record within an existing unit of work.
  package func restore(
    _ acting: ActingContext,
    type name: String,
    id: UUID,
    version: Int64? = nil,
    comment: String? = nil,
    in work: inout Work
  ) throws -> RecordAnswer {
    let company = acting.company.id
    let (type, access, before) = try read(name, acting, in: &work) { type, pipeline in
      pipeline.rows(type.tombstone(company: company, id: id, guards: []), as: ViewedRow.self)
    }
    let rules = type.rules
    let label = type.definition.label.lowercased()
    let paths = type.guardPaths + rules.editRules.map { $0.when ?? "true" }
    let rights = try Rights(acting, access)
    let parents = try parents(of: type, before.first?.document.value().object ?? [:])
    let (locked, viewed, moment) = try work.readMore { pipeline in
      for parent in parents {
        _ = pipeline.rows(parent.type.lockAsParent(company: company, id: parent.id), Bool.self)
      }
      return (
        pipeline.rows(type.lock(company: company, id: id), as: LockedRow.self),
        pipeline.rows(type.tombstone(company: company, id: id, guards: paths), as: ViewedRow.self),
        pipeline.rows(type.deletion(company: company, id: id), Instant?.self)
      )
    }
    guard let row = try locked.first else { throw DomainError(.notFound, "there is no such \(label)") }
    guard let deleted = try viewed.first, let deletedAt = try moment.first ?? nil else {
      // Only those who may read the live record learn that there is one.
      let view = type.view(company: company, id: id, guards: type.guardPaths)
      let live = try work.transaction.first(view, as: ViewedRow.self)
      guard let live, let shown = try live.document.value().object, rights.canRead(type, shown) else {
        throw DomainError(.notFound, "there is no such \(label)")
      }
      let snapshot = RecordSnapshot(shown, of: type, answers: live.guards)
      try rules.requireDeletePermission(snapshot, by: rights.kernel(acting, type))
      throw DomainError(.wrongState, "the \(label) is not deleted", hint: "restore only deleted records")
    }
    let document = try deleted.document.value().object ?? [:]
    guard rights.canRead(type, document) else { throw DomainError(.notFound, "there is no such \(label)") }
    try rules.requireDelete(
      RecordSnapshot(document, of: type, answers: deleted.guards),
      expectedVersion: version,
      by: rights.kernel(acting, type),
      conditions: Array(deleted.guards.dropFirst(type.guardPaths.count))
    )
    try Self.requireComment(comment)
    var coming = DeletionSet(DeletionReach(catalogue, company: company), type: type, id: id)
    try coming.collect(deletedAt: deletedAt, work)
    try coming.requireParents(work)
    for type in coming.types {
      let limits = try work.transaction.rows(
        QuotaStore.concerning(type.name, company: company),
        as: QuotaRow.self
      )
      try quotas.require(coming.ids(of: type).count, of: type, limits, catalogue, access, work)
    }

    let answer = try RecordWriter(type: type, acting: acting, access: access)
      .restore(id: id, from: row, comment: comment?.trimmingSpaces(), in: &work)
    for (known, records) in coming.others {
      let child = try self.type(known.name, followedBy: access, of: company, work.transaction)
      let writer = RecordWriter(type: child, acting: acting, access: access)
      for other in records {
        _ = try writer.restore(id: other.id, from: other.row, comment: "with \(name) \(id.text)", in: &work)
      }
    }
    var restored = [(type, [id])]
    for (known, records) in coming.others { restored.append((known, records.map(\.id))) }
    try requireRules(of: restored, acting, access, in: &work)
    return answer.with(coming.counts, numbered: document)
  }

  /// Requires that restored records satisfy the rules of their types, as new and edited ones do.
  private func requireRules(
    of restored: [(type: RecordType, ids: [UUID])],
    _ acting: ActingContext,
    _ access: Access,
    in work: inout Work
  ) throws {
    let ruled = restored.filter { rules[$0.type.name] != nil }
    guard !ruled.isEmpty else { return }
    try work.writeRowsNow()
    for (type, ids) in ruled {
      let check = StoredRuleCheck(
        type,
        rules[type.name],
        company: acting.company,
        owner: acting.user,
        actor: .restoration
      )
      let records = try work.transaction.rows(check.records(ids), as: StoredRecord.self)
      if let refusal = try check.faults(of: records, access, work.transaction).lazy.compactMap(\.refusal)
        .first
      {
        throw refusal
      }
    }
  }
}
