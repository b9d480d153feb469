package import Domain
package import FoundationEssentials
internal import Postgres
internal import Secrets
package import Store

/// What can be done to records of any type. Authorise, decide, persist: always through the unit of work.
package struct Records: Sendable {
  let services: Services
  let work: UnitOfWork
  package let catalogue: TypeCatalogue
  let rules: [String: RecordRule]

  package init(
    _ services: Services,
    catalogue: TypeCatalogue,
    rules: [String: RecordRule] = RecordRule.builtIn
  ) {
    self.services = services
    self.catalogue = catalogue
    self.rules = rules
    work = UnitOfWork(services.database, ids: services.ids)
  }

  /// Opens the records of a database: reads what types it has.
  package static func open(_ services: Services) async throws -> Records {
    let catalogue = try await services.database.transaction { tx in try TypeCatalogue.load(tx) }
    return Records(services, catalogue: catalogue)
  }

  /// Makes a record.
  ///
  /// - Parameters:
  ///   - given: the id, chosen by the caller, so that a repetition after a lost answer is recognised; nil for a new one.
  ///   - fields: the type's own columns; base columns, status and computed ones are refused by name.
  ///   - key: under which a repetition gets the first answer.
  package func create(
    _ seat: Seat,
    type name: String,
    id given: UUID? = nil,
    fields: JSONObject,
    key: String? = nil,
    dryRun: Bool = false
  ) async throws -> RecordAnswer {
    let type = try catalogue.type(name)
    let id = given ?? services.ids.next()
    let rule = rules[name]
    let parents = try parents(of: type, fields)
    let context = seat.context(
      requestID: services.ids.next(),
      idempotency: key.map { ($0, hash("create \(given?.text ?? "")", name, fields)) }
    )
    return try await work.perform(context, dryRun: dryRun) { work in
      let (access, tickets) = try work.read { pipeline in
        (
          parents: parents.map {
            pipeline.rows($0.type.lockAsParent(company: seat.company.id, id: $0.id), Bool.self)
          },
          verdict: try rule?.check(fields, seat, &pipeline)
        )
      }
      let rights = try Rights(seat, access)
      try RecordRules(type.definition, workflow: type.workflow)
        .requireCreate(fields, by: rights.kernel(seat, type))
      for (parent, ticket) in zip(parents, tickets.parents) { try parent.require(ticket.first) }
      var complete = fields
      if let computed = try tickets.verdict?(access) {
        for (column, value) in computed.members { complete[column] = value }
      }
      try type.requireAll(complete)
      return try RecordWriter(type: type, seat: seat, access: access).create(
        id: id,
        fields: complete,
        in: &work
      )
    }
  }

  /// Takes a record through a transition of its workflow.
  package func transition(
    _ seat: Seat,
    type name: String,
    id: UUID,
    request: TransitionRequest,
    key: String? = nil,
    dryRun: Bool = false
  ) async throws -> RecordAnswer {
    let type = try catalogue.type(name)
    guard let workflow = type.workflow else {
      throw DomainError(.unknownTransition, "\(name) has no workflow")
    }
    let context = seat.context(
      requestID: services.ids.next(),
      idempotency: try key.map { ($0, try hash("\(name) \(id.text)", request)) }
    )
    return try await work.perform(context, dryRun: dryRun) { work in
      let (access, tickets) = try work.read { pipeline in
        (
          lock: pipeline.rows(type.lock(company: seat.company.id, id: id), as: LockedRow.self),
          view: pipeline.rows(
            type.view(company: seat.company.id, id: id, guards: type.guardPaths),
            as: ViewedRow.self
          )
        )
      }
      let rights = try Rights(seat, access)
      let reading = try RecordReading(
        type: type,
        locked: tickets.lock.first,
        viewed: tickets.view.first,
        rights: rights
      )
      let plan = try Kernel.apply(
        request,
        to: reading.snapshot,
        by: rights.kernel(seat, type),
        under: workflow,
        at: Instant(microseconds: access.now.microseconds)
      )
      guard let locked = reading.locked else { throw DomainError(.notFound) }
      return try RecordWriter(type: type, seat: seat, access: access)
        .transition(id: id, plan: plan, from: locked, in: &work)
    }
  }

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

  private func parents(of type: RecordType, _ fields: JSONObject) throws -> [Parent] {
    try type.definition.references
      .compactMap { reference -> Parent? in
        guard let text = fields[reference.column]?.string, !reference.target.hasPrefix("core.") else {
          return nil
        }
        guard let id = UUID(uuidString: text) else {
          throw DomainError(.invalidID, "\(reference.column): \(Quoted(text)) is not an id")
        }
        return Parent(type: try catalogue.type(reference.target), id: id)
      }
      .sorted { ($0.type.name, $0.id.text) < ($1.type.name, $1.id.text) }  // one lock order everywhere
  }

  private func hash(_ verb: String, _ type: String, _ fields: JSONObject) -> [UInt8] {
    SHA256.hash("\(verb)\n\(type)\n\(JSONValue.object(fields).canonicalText)")
  }

  private func hash(_ subject: String, _ request: TransitionRequest) throws -> [UInt8] {
    SHA256.hash("\(subject)\n\(try JSON(encoding: request).text)")
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

/// A record that another one refers to: it must be there, and stay while the reference is written.
private struct Parent: Sendable {
  let type: RecordType
  let id: UUID

  func require(_ isAlive: Bool?) throws {
    switch isAlive {
    case true?: return
    case false?:
      throw DomainError(.parentDeleted, "the \(type.definition.label.lowercased()) has been deleted")
    case nil: throw DomainError(.notFound, "there is no such \(type.definition.label.lowercased())")
    }
  }
}

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
