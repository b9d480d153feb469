internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
package import Store

extension Records {
  /// The lock timeout of a batch, long enough to wait for another batch.
  private static let batchLockTimeout = Duration.seconds(30)

  /// Applies several operations in one unit of work: all of them or none.
  ///
  /// Operations run in the given order. Their rows are locked first, in the same order in all batches, so
  /// that batches over the same records wait for each other instead of deadlocking.
  ///
  /// - Parameters:
  ///   - key: the idempotency key.
  ///   - lockTimeout: the lock timeout; nil for 30 seconds, long enough to wait for another batch.
  ///   - dryRun: true to write and roll back.
  /// - Returns: the results, in the order of the operations.
  /// - Throws: the error of the first refused operation, with its position as `operation` in the details.
  package func apply(
    _ acting: ActingContext,
    _ operations: [RecordOperation],
    key: String? = nil,
    lockTimeout: Duration? = nil,
    dryRun: Bool = false
  ) async throws -> [RecordAnswer] {
    let idempotency = try key.map { ($0, try hash(operations)) }
    let timeout = lockTimeout ?? Self.batchLockTimeout
    return try await perform(acting, idempotency: idempotency, dryRun: dryRun, lockTimeout: timeout) { work in
      try apply(acting, operations, in: &work)
    }
  }

  private func hash(_ operations: [RecordOperation]) throws -> [UInt8] {
    let parts = try operations.map { operation in
      let (type, id) = operation.subject
      return switch operation {
      case .create: "create \(type) \(id.text) \(JSONValue.object(operation.fields).canonicalText)"
      case .update(_, _, let fields, let version):
        "update \(type) \(id.text) \(version ?? 0) \(JSONValue.object(fields).canonicalText)"
      case .transition(_, _, let request): "do \(type) \(id.text) \(try JSON(encoding: request).text)"
      case .delete(_, _, let version, let comment):
        "delete \(type) \(id.text) \(version ?? 0) \(JSONValue.string(comment ?? "").text)"
      case .restore: "restore \(type) \(id.text)"
      }
    }
    return SHA256.hash("batch\n\(parts.joined(separator: "\n"))")
  }

  /// Applies several operations within an existing unit of work.
  package func apply(_ acting: ActingContext, _ operations: [RecordOperation], in work: inout Work) throws
    -> [RecordAnswer]
  {
    try lock(acting, operations, in: &work)
    var unwritten: Set<UUID> = []
    var types: Set<String> = []
    var answers: [RecordAnswer] = []
    for (position, operation) in operations.enumerated() {
      // Rows that this operation reads must be written before: the same record, a parent just created, and what the
      // type's rule depends on.
      let read = rules[operation.subject.type]?.dependsOn ?? []
      if unwritten.contains(operation.subject.id) || refers(operation, to: unwritten)
        || !types.isDisjoint(with: read)
      {
        try work.writeRowsNow()
        unwritten = []
        types = []
      }
      do {
        answers.append(try perform(operation, acting, in: &work))
      } catch let error as DomainError {
        var details = error.details
        details["operation"] = .integer(position)
        throw DomainError(error.code, error.message, hint: error.hint, details: details)
      }
      unwritten.insert(operation.subject.id)
      types.insert(operation.subject.type)
    }
    return answers
  }

  private func perform(_ operation: RecordOperation, _ acting: ActingContext, in work: inout Work) throws
    -> RecordAnswer
  {
    switch operation {
    case .create(let type, let id, let fields):
      try create(acting, type: type, id: id, fields: fields, in: &work)
    case .update(let type, let id, let fields, let version):
      try update(acting, type: type, id: id, fields: fields, version: version, in: &work)
    case .transition(let type, let id, let request):
      try transition(acting, type: type, id: id, request: request, in: &work)
    case .delete(let type, let id, let version, let comment):
      try delete(acting, type: type, id: id, version: version, comment: comment, in: &work)
    case .restore(let type, let id):
      try restore(acting, type: type, id: id, in: &work)
    }
  }

  private func refers(_ operation: RecordOperation, to ids: Set<UUID>) -> Bool {
    guard !ids.isEmpty else { return false }
    return operation.fields.members.contains { member in
      member.value.string.flatMap(UUID.init(uuidString:)).map(ids.contains) ?? false
    }
  }

  /// Returns the current documents of the records that are deleted or restored, because only they contain the
  /// references to lock.
  private func references(_ acting: ActingContext, _ operations: [RecordOperation], in work: inout Work)
    throws
    -> [JSONObject]
  {
    let company = acting.company.id
    let (_, tickets) = try work.read { pipeline in
      try operations.map { operation -> (live: Ticket<ViewedRow>, dead: Ticket<ViewedRow>)? in
        let type = try catalogue.type(operation.subject.type)
        guard operation.locksReferences, !type.definition.references.isEmpty else { return nil }
        let id = operation.subject.id
        return (
          pipeline.rows(type.view(company: company, id: id, guards: []), as: ViewedRow.self),
          pipeline.rows(type.tombstone(company: company, id: id, guards: []), as: ViewedRow.self)
        )
      }
    }
    return try tickets.map { ticket in
      try (ticket?.live.first ?? ticket?.dead.first)?.document.value().object ?? [:]
    }
  }

  /// Locks every existing row that will be changed or referenced, once and in the strongest mode required. A
  /// later upgrade of a lock could deadlock two batches.
  func lock(_ acting: ActingContext, _ operations: [RecordOperation], in work: inout Work) throws {
    let made = Set(operations.filter(\.isCreation).map(\.subject.id))
    var locks: [Lock] = []
    for (operation, references) in zip(operations, try references(acting, operations, in: &work)) {
      let type = try catalogue.type(operation.subject.type)
      if !operation.isCreation { locks.append(Lock(type: type, id: operation.subject.id, isStrong: true)) }
      for parent in try parents(of: type, operation.fields) + parents(of: type, references) {
        let isCounted = operation.isCreation && rules[type.name]?.locksParents == true
        locks.append(Lock(type: parent.type, id: parent.id, isStrong: isCounted))
      }
    }
    var strongest: [Lock.Key: Lock] = [:]
    for lock in locks where !made.contains(lock.id) {
      if strongest[lock.key]?.isStrong != true { strongest[lock.key] = lock }
    }
    let ordered = strongest.values.sorted { $0.key < $1.key }
    let company = acting.company.id
    _ = try work.read { pipeline in
      for lock in ordered {
        pipeline.execute(
          lock.isStrong
            ? lock.type.lock(company: company, id: lock.id)
            : lock.type.lockAsParent(company: company, id: lock.id)
        )
      }
    }
  }
}

/// A row to be locked.
private struct Lock {
  /// The global lock order: by type, then by id.
  struct Key: Hashable, Comparable {
    let type: String
    let id: String

    static func < (left: Key, right: Key) -> Bool { (left.type, left.id) < (right.type, right.id) }
  }

  let type: RecordType
  let id: UUID
  /// True to lock the row against all other writers; false to lock it only as a parent, against deletion.
  let isStrong: Bool

  var key: Key { Key(type: type.name, id: id.text) }
}
