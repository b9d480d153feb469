package import Domain
package import Files
package import FoundationEssentials
package import Postgres
package import Secrets
package import Store

/// The use cases on records of any type. Each one authorises, decides and writes in one unit of work.
package struct Records: Sendable {
  let services: Services

  /// The keys outside the database.
  package var keys: @Sendable () throws -> Keys { services.keys }
  /// The store of the bytes of files; nil for a process without one.
  package var blobs: (any BlobStore)? { services.blobs }
  package let work: UnitOfWork
  private let live: LiveCatalogue
  let rules: [String: RecordRule]
  let followed: FollowedMemory
  let quotas = QuotaGate()
  /// The remembered permissions of actors.
  let rightsKnown = KnownRights()

  /// Creates the use cases with a separate catalogue.
  package init(_ services: Services, catalogue: TypeCatalogue) {
    self.init(services, LiveCatalogue(catalogue), FollowedMemory())
  }

  /// Creates the use cases with the process-wide catalogue, which must have been read before.
  init(_ services: Services) { self.init(services, services.catalogue, services.followed) }

  private init(_ services: Services, _ live: LiveCatalogue, _ followed: FollowedMemory) {
    self.services = services
    self.live = live
    self.followed = followed
    rules = services.rules.records
    work = UnitOfWork(
      services.database,
      ids: services.ids,
      catalogue: live,
      notifies: services.notifiesWorkers
    )
  }

  /// Returns the use cases after reading the process-wide catalogue, unless the cached one is current.
  package static func open(_ services: Services) async throws -> Records {
    try await services.catalogue.refresh(services.database)
    return Records(services)
  }

  /// The record types known to this process.
  package var catalogue: TypeCatalogue { live.current }

  /// Reloads the types if apps or workflows have changed; long-running processes call this regularly.
  ///
  /// - Returns: true if the types changed.
  @discardableResult
  package func refresh() async throws -> Bool { try await live.refresh(services.database).isNew }

  /// Creates a record.
  ///
  /// - Parameters:
  ///   - given: the id chosen by the caller, so that a retry after a lost response is recognised; nil
  ///     generates one.
  ///   - fields: the type's own columns; base columns, the status and computed columns are refused by name.
  ///   - key: the idempotency key.
  ///   - dryRun: true to write and roll back.
  /// - Throws: among others `forbidden`, `unknown_fields`, `missing_fields`, `quota_exceeded`, `not_found` or
  ///   `parent_deleted` for a reference, and the errors of the type's rule.
  package func create(
    _ acting: ActingContext,
    type name: String,
    id given: UUID? = nil,
    fields: JSONObject,
    key: String? = nil,
    dryRun: Bool = false
  ) async throws -> RecordAnswer {
    let id = given ?? services.ids.next()
    let idempotency = key.map { ($0, hash("create \(given?.text ?? "")", name, fields)) }
    return try await perform(acting, idempotency: idempotency, dryRun: dryRun) { work in
      try create(acting, type: name, id: id, fields: fields, in: &work)
    }
  }

  /// Creates a record within an existing unit of work.
  /// Call ``Work/writeRowsNow()`` before a later step refers to the record.
  package func create(
    _ acting: ActingContext,
    type name: String,
    id: UUID,
    fields: JSONObject,
    in work: inout Work
  ) throws -> RecordAnswer {
    try create(acting, type: name, id: id, fields: fields, kind: .create, in: &work)
  }

  /// Creates a record within an existing unit of work.
  ///
  /// - Parameter kind: the kind of the history entry, `create` or `import`. An imported record runs no hooks.
  func create(
    _ acting: ActingContext,
    type name: String,
    id: UUID,
    fields: JSONObject,
    kind: HistoryEntry.Kind,
    in work: inout Work
  ) throws -> RecordAnswer {
    let creation = try RecordCreation(self, acting, catalogue.type(name), id: id, fields: fields, kind: kind)
    let company = acting.company.id
    let numbers = work.numbers
    let (type, access, tickets) = try read(name, acting, in: &work) { type, pipeline in
      (
        parents: creation.parents.map {
          let alone = creation.rule?.locksParents ?? false
          return pipeline.rows($0.type.lockAsParent(company: company, id: $0.id, alone: alone), Bool.self)
        },
        members: creation.members.map { pipeline.rows($0.query(company: company), Bool.self) },
        quotas: pipeline.rows(QuotaStore.concerning(name, company: company), as: QuotaRow.self),
        verdict: try creation.rule?.check(fields, acting, &pipeline),
        number: creation.numbering?.ask(&pipeline, numbers),
        hooks: creation.hooks.ask(&pipeline) { type.ask($0, ofNew: creation.askable) }
      )
    }
    let answers = RecordCreation.Answers(
      parents: try tickets.parents.map { try $0.first },
      members: try tickets.members.map { try $0.first },
      quotas: try tickets.quotas.all,
      verdict: tickets.verdict,
      number: tickets.number,
      hooks: try tickets.hooks?.first ?? []
    )
    return try creation.decide(answers, type, Rights(acting, access), acting, self, in: &work)
  }

  /// Applies a transition of a record's workflow.
  package func transition(
    _ acting: ActingContext,
    type name: String,
    id: UUID,
    request: TransitionRequest,
    key: String? = nil,
    dryRun: Bool = false
  ) async throws -> RecordAnswer {
    let idempotency = try key.map { ($0, try hash("\(name) \(id.text)", request)) }
    return try await perform(acting, idempotency: idempotency, dryRun: dryRun) { work in
      try transition(acting, type: name, id: id, request: request, in: &work)
    }
  }

  /// Applies a transition within an existing unit of work.
  package func transition(
    _ acting: ActingContext,
    type name: String,
    id: UUID,
    request: TransitionRequest,
    in work: inout Work
  ) throws -> RecordAnswer {
    var (type, access, tickets) = try read(name, acting, in: &work) { type, pipeline in
      (
        lock: pipeline.rows(type.lock(company: acting.company.id, id: id), as: LockedRow.self),
        view: pipeline.rows(
          type.view(company: acting.company.id, id: id, guards: type.guardPaths),
          as: ViewedRow.self
        )
      )
    }
    let row = try tickets.lock.first
    if let next = next(type, of: acting.company.id, status: row?.status) {
      type = next
      tickets.view = try work.readMore { pipeline in
        pipeline.rows(
          type.view(company: acting.company.id, id: id, guards: type.guardPaths),
          as: ViewedRow.self
        )
      }
    }
    guard let workflow = type.workflow else {
      throw DomainError(.unknownTransition, "\(name) has no workflow")
    }
    let rights = try Rights(acting, access)
    let reading = try RecordReading(type: type, locked: row, viewed: tickets.view.first, rights: rights)
    var plan = try type.decide(
      request,
      on: reading.snapshot,
      by: rights.kernel(acting, type),
      under: workflow,
      at: access.now
    )
    guard let locked = reading.locked else { throw DomainError(.notFound) }
    let before = reading.snapshot.fields
    if !request.fields.isEmpty {
      let edit = try RecordEdit(self, acting, type, id: id, fields: request.fields)
      try requireMembers(in: request.fields, of: type, before: before, acting, in: &work)
      plan = plan.writing(
        try checked(edit, of: type, locked, before, acting, access, in: &work),
        insteadOf: request.fields.count
      )
    }
    let answer = try RecordWriter(type: type, acting: acting, access: access)
      .transition(id: id, plan: plan, from: locked, before: before, in: &work)
    let latest = try follow(plan, of: type, answer, from: acting, in: &work)
    try create(from: plan, of: type, before, from: acting, in: &work)
    return latest
  }

  /// Returns the fields of a transition in their stored form, after the checks of an edit: its parents and the type's
  /// rule.
  private func checked(
    _ edit: RecordEdit,
    of type: RecordType,
    _ locked: LockedRow,
    _ before: JSONObject,
    _ acting: ActingContext,
    _ access: Access,
    in work: inout Work
  ) throws -> JSONObject {
    var permitted = RecordEdit.Permitted(locked: locked, before: before, complete: edit.fields)
    let (parents, verdict) = try work.readMore { pipeline in
      let parents = edit.parents.map {
        pipeline.rows($0.type.lockAsParent(company: acting.company.id, id: $0.id), Bool.self)
      }
      return (parents, try edit.ask(about: &permitted, type, acting, self, &pipeline))
    }
    for (parent, isAlive) in zip(edit.parents, parents) { try parent.require(isAlive.first) }
    return try edit.complete(permitted, verdict, type, access)
  }

  /// Writes records within a transaction that the caller begins and commits, so that a job's effects commit
  /// with its success.
  ///
  /// The transaction must have entered the acting context's company, for private types also its member, in
  /// the write mode `engine`. The body may write several records; the feed is written once, after all of
  /// them.
  package func perform<Answer>(
    in tx: Transaction,
    _ acting: ActingContext,
    _ body: (inout Work) throws -> Answer
  ) throws -> Answer {
    try work.perform(acting.context(requestID: services.ids.next()), in: tx, body)
  }

  /// Writes records in a separate unit of work that performs several operations.
  ///
  /// - Parameters:
  ///   - idempotency: a key, and the hash of the request, which a repetition must have too; nil for no key.
  ///   - dryRun: true to write and roll back.
  ///   - lockTimeout: the lock timeout; nil for 5 seconds.
  package func perform<Answer: Sendable & Codable>(
    _ acting: ActingContext,
    idempotency: (key: String, requestHash: [UInt8])? = nil,
    dryRun: Bool = false,
    lockTimeout: Duration? = nil,
    _ body: @escaping @Sendable (inout Work) throws -> Answer
  ) async throws -> Answer {
    let context = acting.context(requestID: services.ids.next(), idempotency: idempotency)
    return try await explaining {
      try await work.perform(context, dryRun: dryRun, lockTimeout: lockTimeout, body)
    }
  }

  package func parents(of type: RecordType, _ fields: JSONObject) throws -> [Parent] {
    try type.definition.references
      .compactMap { reference -> Parent? in
        guard let text = fields[reference.column]?.string, !reference.target.hasPrefix("core.") else {
          return nil
        }
        guard let id = UUID(text: text) else {
          throw DomainError(.invalidID, "\(reference.column): \(Quoted(text)) is not an id")
        }
        return Parent(type: try catalogue.type(reference.target), id: id)
      }
      .sorted { ($0.type.name, $0.id.text) < ($1.type.name, $1.id.text) }  // one lock order everywhere
  }

  func hash(_ verb: String, _ type: String, _ fields: JSONObject) -> [UInt8] {
    SHA256.hash("\(verb)\n\(type)\n\(JSONValue.object(fields).canonicalText)")
  }

  private func hash(_ subject: String, _ request: TransitionRequest) throws -> [UInt8] {
    SHA256.hash("\(subject)\n\(try JSON(encoding: request).text)")
  }
}
