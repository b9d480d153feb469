package import Domain
package import FoundationEssentials
internal import Postgres
internal import Secrets
package import Store

extension Records {
  /// Changes fields of a record.
  ///
  /// - Parameter version: the expected version; nil skips the check.
  /// - Throws: among others `stale` for another version, `forbidden`, `not_found`, and the errors of the
  ///   type's rule.
  package func update(
    _ acting: ActingContext,
    type name: String,
    id: UUID,
    fields: JSONObject,
    version: Int64? = nil,
    key: String? = nil,
    dryRun: Bool = false
  ) async throws -> RecordAnswer {
    let idempotency = key.map { ($0, hash("update \(id.text) \(version ?? 0)", name, fields)) }
    return try await perform(acting, idempotency: idempotency, dryRun: dryRun) { work in
      try update(acting, type: name, id: id, fields: fields, version: version, in: &work)
    }
  }

  /// Changes fields of a record within an existing unit of work.
  package func update(
    _ acting: ActingContext,
    type name: String,
    id: UUID,
    fields: JSONObject,
    version: Int64? = nil,
    in work: inout Work
  ) throws -> RecordAnswer {
    let edit = try RecordEdit(self, acting, catalogue.type(name), id: id, fields: fields)
    let company = acting.company.id
    let (type, access, tickets) = try read(name, acting, in: &work) { type, pipeline in
      (
        parents: edit.parents.map {
          pipeline.rows($0.type.lockAsParent(company: company, id: $0.id), Bool.self)
        },
        lock: pipeline.rows(type.lock(company: company, id: id), as: LockedRow.self),
        view: pipeline.rows(
          type.view(company: company, id: id, guards: RecordEdit.conditions(of: type)),
          as: ViewedRow.self
        ),
        hooks: edit.hooks.ask(&pipeline) { type.ask($0, of: id, company: company, with: edit.askable) }
      )
    }
    let rights = try Rights(acting, access)
    let reading = try RecordReading(
      type: type,
      locked: tickets.lock.first,
      viewed: tickets.view.first,
      rights: rights
    )
    var permitted = try edit.permit(
      reading,
      version: version,
      parents: tickets.parents.map { try $0.first },
      type,
      rights,
      acting
    )
    try requireMembers(in: fields, of: type, before: permitted.before, acting, in: &work)
    let verdict = try work.readMore { try edit.ask(about: &permitted, type, acting, self, &$0) }
    let answers = try tickets.hooks?.first ?? []
    return try edit.write(permitted, verdict, hooks: answers, type, access, acting, self, in: &work)
  }
}
