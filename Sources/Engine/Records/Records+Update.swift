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
    let context = acting.context(
      requestID: services.ids.next(),
      idempotency: key.map { ($0, hash("update \(id.text) \(version ?? 0)", name, fields)) }
    )
    return try await explaining {
      try await work.perform(context, dryRun: dryRun) { work in
        try update(acting, type: name, id: id, fields: fields, version: version, in: &work)
      }
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
    let known = try catalogue.type(name)
    let check = FieldCheck(type: known, codes: rule(of: known)?.codes ?? [:])
    try check.require(fields)
    let askable = check.askable(fields, from: acting)
    let parents = try parents(of: known, fields)
    let hooks = Hooks(.change, of: known)
    let (type, access, tickets) = try read(name, acting, in: &work) { type, pipeline in
      (
        parents: parents.map {
          pipeline.rows($0.type.lockAsParent(company: acting.company.id, id: $0.id), Bool.self)
        },
        lock: pipeline.rows(type.lock(company: acting.company.id, id: id), as: LockedRow.self),
        view: pipeline.rows(
          type.view(
            company: acting.company.id,
            id: id,
            guards: RecordRules(type.definition, workflow: type.workflow).editRules.map { $0.when ?? "true" }
          ),
          as: ViewedRow.self
        ),
        hooks: hooks.ask(&pipeline) { type.ask($0, of: id, company: acting.company.id, with: askable) }
      )
    }
    let rights = try Rights(acting, access)
    let reading = try RecordReading(
      type: type,
      locked: tickets.lock.first,
      viewed: tickets.view.first,
      rights: rights
    )
    guard let locked = reading.locked, reading.snapshot.isVisible else {
      throw DomainError(.notFound, "there is no such \(type.definition.label.lowercased())")
    }
    try RecordRules(type.definition, workflow: type.workflow).requireEdit(
      RecordPatch(fields, expectedVersion: version),
      of: reading.snapshot,
      by: rights.kernel(acting, type),
      conditions: reading.guards
    )
    for (parent, ticket) in zip(parents, tickets.parents) { try parent.require(ticket.first) }
    let before = reading.snapshot.fields
    try requireMembers(in: fields, of: type, before: before, acting, in: &work)
    let complete = try completing(fields, of: type, before: before, access, acting, in: &work)
    let answer = try RecordWriter(type: type, acting: acting, access: access)
      .edit(id: id, fields: complete, from: locked, before: before, in: &work)
    return try follow(hooks.holding(tickets.hooks, written: complete.keys), answer, from: acting, in: &work)
  }

  /// Returns the fields, normalised and with the values that the type's rule computes for the edited record.
  /// The record is already locked, so `before` is current.
  private func completing(
    _ fields: JSONObject,
    of type: RecordType,
    before: JSONObject,
    _ access: Access,
    _ acting: ActingContext,
    in work: inout Work
  ) throws -> JSONObject {
    guard let rule = rule(of: type) else { return fields }
    var complete = try rule.normalise(fields)
    let whole = complete.over(before.asWritten(in: type))
    let verdict = try work.readMore { pipeline in try rule.check(whole, acting, &pipeline) }
    for (column, value) in try verdict(access).members where recomputes(column, of: type, given: fields) {
      complete[column] = value
    }
    return complete
  }

  /// True if an edit writes the rule's value for a column.
  ///
  /// The engine's columns are always written. Names stored beside a reference are
  /// written only if a reference changes; otherwise they stay as they were.
  private func recomputes(_ column: String, of type: RecordType, given fields: JSONObject) -> Bool {
    if type.definition.engine.contains(column) { return true }
    return type.definition.references.contains { fields[$0.column] != nil }
  }
}

extension JSONObject {
  /// The members as people write them. PostgreSQL adds seconds to a time with minute precision; they are
  /// removed.
  fileprivate func asWritten(in type: RecordType) -> JSONObject {
    JSONObject(
      members.map { name, value in
        guard let text = value.string, text.hasSuffix(":00"),
          type.column(name)?.type.hasPrefix("time(0)") == true
        else { return (name, value) }
        return (name, .string(String(text.dropLast(3))))
      }
    )
  }

  /// Returns a record's fields overridden by these members.
  fileprivate func over(_ before: JSONObject) -> JSONObject {
    var merged = before
    for (key, value) in members { merged[key] = value }
    return merged
  }
}
