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
  ///   - byClock: fields that the caller has filled with the present time, which a repetition with the key need not
  ///     have again.
  ///   - dryRun: true to write and roll back.
  /// - Throws: among others `forbidden`, `unknown_fields`, `missing_fields`, `quota_exceeded`, `not_found` or
  ///   `parent_deleted` for a reference, and the errors of the type's rule.
  package func create(
    _ acting: ActingContext,
    type name: String,
    id given: UUID? = nil,
    fields: JSONObject,
    key: String? = nil,
    byClock: Set<String> = [],
    dryRun: Bool = false
  ) async throws -> RecordAnswer {
    let id = given ?? services.ids.next()
    var told = fields
    for column in byClock { told[column] = nil }
    let idempotency = key.map { ($0, hash("create \(given?.text ?? "")", name, told)) }
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
    try apply(.create(type: name, id: id, fields: fields), acting, in: &work)
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
    try apply(.transition(type: name, id: id, request: request), acting, in: &work)
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
