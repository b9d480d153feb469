internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store
internal import SyncProtocol

/// The judgement of one change: the policy of its type, then the same rules as for all other writers.
struct SyncDecision {
  private let records: Records
  private let acting: ActingContext
  private let access: Access
  private let device: UUID

  /// The pause in milliseconds after which a device sends a change again that could not be judged.
  static let pause = 2_000

  init(_ records: Records, _ acting: ActingContext, _ access: Access, device: UUID) {
    self.records = records
    self.acting = acting
    self.access = access
    self.device = device
  }

  /// Applies a change, or says why not. A refusal leaves no trace in the unit of work.
  func apply(_ mutation: SyncMutation, _ states: inout SyncStates, in work: inout Work) throws -> PushResult {
    let before = (changes: work.changes, numbers: work.numbers)
    do {
      let tx = work.transaction
      let result = try tx.savepoint { _ in
        let result = try decide(mutation, states, in: &work)
        try work.writeRowsNow()
        return result
      }
      if let version = result.version, result.result == .applied || result.result == .merged {
        states.note(mutation.record, version: version, isDeleted: mutation.operation.isDeletion)
      }
      return result
    } catch let error as DomainError {
      (work.changes, work.numbers) = before
      return try refusal(error, of: mutation, states, in: &work)
    } catch let error as PostgresError where error.isRefusalOfValue {
      (work.changes, work.numbers) = before
      let refusal = try records.explanation(of: error, work.transaction) ?? DomainError(error)
      return try self.refusal(refusal, of: mutation, states, in: &work)
    }
  }

  private func decide(_ mutation: SyncMutation, _ states: SyncStates, in work: inout Work) throws
    -> PushResult
  {
    let type = try records.catalogue.type(mutation.type)
    guard type.definition.sync != .serverOnly else {
      throw DomainError(.forbidden, "devices cannot change \(type.definition.plural.lowercased())")
    }
    switch mutation.operation {
    case .create(let fields): return try create(mutation, type, fields, states, in: &work)
    case .patch(let fields, let base): return try patch(mutation, type, fields, base, states, in: &work)
    case .transition(let request):
      try requireLiving(mutation, type, states)
      let answer = try records.transition(
        acting,
        type: type.name,
        id: mutation.record,
        request: request,
        in: &work
      )
      return PushResult(mutation.no, .applied, version: answer.version)
    case .delete(let comment):
      // A deletion wins over every other change, so that two devices may delete the same record.
      if let standing = states[mutation.record], standing.isDeleted {
        return PushResult(mutation.no, .applied, version: standing.version)
      }
      let answer = try records.delete(
        acting,
        type: type.name,
        id: mutation.record,
        comment: comment,
        in: &work
      )
      return PushResult(mutation.no, .applied, version: answer.version)
    }
  }

  /// Creates a record. A record with the same id and the same values is the same creation, sent by a device that lost
  /// its numbers.
  private func create(
    _ mutation: SyncMutation,
    _ type: RecordType,
    _ fields: JSONObject,
    _ states: SyncStates,
    in work: inout Work
  ) throws -> PushResult {
    if let standing = states[mutation.record] {
      guard !standing.isDeleted else { throw deleted(type) }
      try FieldCheck(type: type).require(fields)
      let same = try work.transaction.first(
        type.holds(company: acting.company.id, id: mutation.record, fields),
        Bool.self
      )
      guard same == true else {
        throw DomainError(
          .alreadyExists,
          "a \(type.definition.label.lowercased()) with this id exists already, with other values",
          details: ["fields": ["id"]]
        )
      }
      return PushResult(mutation.no, .applied, version: standing.version)
    }
    work.origin = RecordOrigin(device: device, clientTime: mutation.clientTime)
    defer { work.origin = nil }
    let answer = try records.create(acting, type: type.name, id: mutation.record, fields: fields, in: &work)
    return PushResult(mutation.no, .applied, version: answer.version)
  }

  private func patch(
    _ mutation: SyncMutation,
    _ type: RecordType,
    _ fields: JSONObject,
    _ base: Int64?,
    _ states: SyncStates,
    in work: inout Work
  ) throws -> PushResult {
    let policy = type.definition.sync
    guard policy != .appendOnly else {
      throw DomainError(
        .fieldNotEditable,
        "\(type.definition.plural.lowercased()) cannot be changed, only created and deleted"
      )
    }
    guard !fields.isEmpty else { throw DomainError(.missingFields, "the change has no fields") }
    let standing = try requireLiving(mutation, type, states)
    var isMerged = false
    if policy != .lastWriter {
      guard let base else {
        throw DomainError(.missingFields, "base_version is missing", details: ["fields": ["base_version"]])
      }
      if base != standing.version {
        try requireDisjoint(mutation, type, fields, base, standing.version, policy, work)
        isMerged = true
      }
    }
    let answer = try records.update(acting, type: type.name, id: mutation.record, fields: fields, in: &work)
    return PushResult(mutation.no, isMerged ? .merged : .applied, version: answer.version)
  }

  /// Requires that none of the fields changed since the version that the device knows.
  ///
  /// - Throws: `stale` with the fields in conflict.
  private func requireDisjoint(
    _ mutation: SyncMutation,
    _ type: RecordType,
    _ fields: JSONObject,
    _ base: Int64,
    _ current: Int64,
    _ policy: SyncPolicy,
    _ work: Work
  ) throws {
    let change = try work.transaction.first(
      type.changed(company: acting.company.id, id: mutation.record, after: base),
      [String].self,
      Bool.self
    )
    let (changed, isTold) = change ?? ([], false)
    // A version that the record does not have yet is one of before a restore.
    let isKnown = isTold && base <= current
    var conflicting = fields.keys.filter(changed.contains)
    if !isKnown || policy == .reject && conflicting.isEmpty { conflicting = fields.keys }
    guard policy == .fieldMerge, conflicting.isEmpty else {
      throw DomainError(
        .stale,
        "somebody else changed the \(type.definition.label.lowercased()) since version \(base)",
        details: ["fields": .strings(conflicting)]
      )
    }
  }

  @discardableResult
  private func requireLiving(_ mutation: SyncMutation, _ type: RecordType, _ states: SyncStates)
    throws(DomainError)
    -> RecordStanding
  {
    guard let standing = states[mutation.record] else {
      throw DomainError(.notFound, "there is no such \(type.definition.label.lowercased())")
    }
    guard !standing.isDeleted else { throw deleted(type) }
    return standing
  }

  private func deleted(_ type: RecordType) -> DomainError {
    DomainError(.recordDeleted, "the \(type.definition.label.lowercased()) has been deleted")
  }

  /// Returns the judgement on a change that was refused.
  private func refusal(
    _ error: DomainError,
    of mutation: SyncMutation,
    _ states: SyncStates,
    in work: inout Work
  ) throws -> PushResult {
    var more: JSONObject = ["detail": .string(error.message)]
    if let fields = error.details["fields"] { more["fields"] = fields }
    switch error.category {
    case .unavailable, .internal:
      return PushResult(mutation.no, .retry, code: error.code, more: ["retry_after_ms": .integer(Self.pause)])
    case .conflict:
      if let allowed = error.details["allowed"] { more["allowed"] = allowed }
      let version = states[mutation.record]?.version
      let result = PushResult(mutation.no, .conflict, version: version, code: error.code, more: more)
      return try showing(result, of: mutation, in: work)
    case .notFound, .denied, .invalid:
      return PushResult(mutation.no, .rejected, code: error.code, more: more)
    }
  }

  /// Returns a conflict with the record as the server has it now, if the member may read it now.
  func showing(_ result: PushResult, of mutation: SyncMutation, in work: Work) throws -> PushResult {
    guard result.result == .conflict else { return result }
    var result = result
    result.server = try server(mutation, in: work)
    return result
  }

  /// Returns the record as the server has it; nil if there is none that the member may read.
  private func server(_ mutation: SyncMutation, in work: Work) throws -> JSONObject? {
    guard let type = records.catalogue.types.first(where: { $0.name == mutation.type }) else { return nil }
    let rights = try Rights(acting, access)
    let statement = type.shown(
      company: acting.company.id,
      id: mutation.record,
      columns: type.shownColumns,
      guards: []
    )
    let row = try work.transaction.first(statement, as: ViewedRow.self)
    guard let document = try row?.document.value().object, rights.canRead(type, document) else { return nil }
    return document
  }
}

extension SyncMutation.Operation {
  fileprivate var isDeletion: Bool { if case .delete = self { true } else { false } }
}
