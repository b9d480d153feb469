package import Domain
package import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

extension Records {
  /// Changes fields of a record.
  ///
  /// - Parameter version: what the caller believes the record to be at; another one is refused as `stale`.
  package func update(
    _ seat: Seat,
    type name: String,
    id: UUID,
    fields: JSONObject,
    version: Int64? = nil,
    key: String? = nil,
    dryRun: Bool = false
  ) async throws -> RecordAnswer {
    let type = try catalogue.type(name)
    let change = Change(
      id: id,
      patch: RecordPatch(fields, expectedVersion: version),
      parents: try parents(of: type, fields)
    )
    let context = seat.context(
      requestID: services.ids.next(),
      idempotency: key.map { ($0, hash("update \(id.text) \(version ?? 0)", name, fields)) }
    )
    // A rule computes from the whole record, so that is read before; if somebody writes it meanwhile, again.
    for _ in 0..<8 {
      let before = rules[name] == nil ? nil : try await show(seat, type: name, id: id)
      do {
        return try await write(change, to: type, from: before, seat, context, dryRun: dryRun)
      } catch is WrittenMeanwhile {
        continue
      }
    }
    throw DomainError(.stale, "others keep writing this record", hint: "try again")
  }

  private func write(
    _ change: Change,
    to type: RecordType,
    from before: JSONObject?,
    _ seat: Seat,
    _ context: WorkContext,
    dryRun: Bool
  ) async throws -> RecordAnswer {
    let (id, fields) = (change.id, change.patch.fields)
    let rule = rules[type.name]
    let decision = RecordRules(type.definition, workflow: type.workflow)
    let conditions = decision.editRules.map { $0.when ?? "true" }
    let whole = fields.over(before?.asWritten(in: type))
    return try await work.perform(context, dryRun: dryRun) { work in
      let (access, tickets) = try work.read { pipeline in
        (
          parents: change.parents.map {
            pipeline.rows($0.type.lockAsParent(company: seat.company.id, id: $0.id), Bool.self)
          },
          lock: pipeline.rows(type.lock(company: seat.company.id, id: id), as: LockedRow.self),
          view: pipeline.rows(
            type.view(company: seat.company.id, id: id, guards: conditions),
            as: ViewedRow.self
          ),
          verdict: try rule?.check(whole, seat, &pipeline)
        )
      }
      let rights = try Rights(seat, access)
      let reading = try RecordReading(
        type: type,
        locked: tickets.lock.first,
        viewed: tickets.view.first,
        rights: rights
      )
      guard let locked = reading.locked, reading.snapshot.isVisible else {
        throw DomainError(.notFound, "there is no such \(type.definition.label.lowercased())")
      }
      try decision.requireEdit(
        change.patch,
        of: reading.snapshot,
        by: rights.kernel(seat, type),
        conditions: reading.guards
      )
      if let before, before["version"] != .integer(locked.version) { throw WrittenMeanwhile() }
      for (parent, ticket) in zip(change.parents, tickets.parents) { try parent.require(ticket.first) }
      var complete = fields
      for (column, value) in try tickets.verdict?(access).members ?? []
      where change.recomputes(column, of: type) {
        complete[column] = value
      }
      return try RecordWriter(type: type, seat: seat, access: access)
        .edit(id: id, fields: complete, from: locked, before: reading.snapshot.fields, in: &work)
    }
  }
}

/// What a caller wants of a record.
private struct Change: Sendable {
  let id: UUID
  let patch: RecordPatch
  let parents: [Parent]

  /// Whether what a rule computes for a column is written by an edit: always for the engine's own, and for a name
  /// that stands beside a reference (it stays as it was then) when a reference is changed.
  func recomputes(_ column: String, of type: RecordType) -> Bool {
    if column == "created_by_name" { return false }
    if type.definition.engine.contains(column) { return true }
    return type.definition.references.contains { patch.fields[$0.column] != nil }
  }
}

/// Thrown to decide anew: the record is no longer what a rule was given.
private struct WrittenMeanwhile: Error {}

extension JSONObject {
  /// The members as people write them: a column of time to the minute has seconds only in what PostgreSQL says.
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

  /// These members over those of a record as it is.
  fileprivate func over(_ before: JSONObject?) -> JSONObject {
    var merged = before ?? [:]
    for (key, value) in members { merged[key] = value }
    return merged
  }
}
