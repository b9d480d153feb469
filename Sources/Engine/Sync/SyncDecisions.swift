internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store
internal import SyncProtocol

/// A change that the rules permit, with what it writes.
struct SyncPlan {
  let change: SyncChange
  let result: PushResult
  let writes: Changes
}

/// The decisions on the changes of a wave, from one reading: the policy of each type, then the same rules as for all
/// other writers.
struct SyncDecisions {
  private let records: Records
  private let acting: ActingContext
  private let refusals: SyncRefusals
  private let device: UUID
  private var reading: SyncReading
  /// The records that the wave creates.
  private var made: Set<SyncKey> = []
  /// The permitted edits of types with a rule, which needs another round trip.
  private var open: [(change: SyncChange, edit: RecordEdit, permitted: RecordEdit.Permitted, isMerge: Bool)] =
    []

  /// The permitted changes.
  private(set) var plans: [SyncPlan] = []
  /// The changes that are applied by statements of their own, after the plans.
  private(set) var alone: [SyncChange] = []
  /// The judgements on changes that write nothing.
  private(set) var results: [(change: SyncChange, result: PushResult)] = []

  init(
    _ records: Records,
    _ acting: ActingContext,
    _ refusals: SyncRefusals,
    _ reading: SyncReading,
    device: UUID
  ) {
    self.records = records
    self.acting = acting
    self.refusals = refusals
    self.reading = reading
    self.device = device
  }

  private var rights: Rights { refusals.rights }

  /// Decides changes in the device's order.
  mutating func decide(_ changes: [SyncChange], in work: inout Work) throws {
    try reading.keepNumbers(in: &work)
    for change in changes {
      do {
        try rule(change, in: &work)
      } catch let error as DomainError {
        refuse(change, error)
      }
    }
    try finish(in: &work)
    // Edits with a rule are finished last, but the feed shows changes in the order of the device.
    plans.sort { $0.change.mutation.no < $1.change.mutation.no }
  }

  private mutating func refuse(_ change: SyncChange, _ error: DomainError) {
    let version = reading.standing(of: change)?.version
    results.append((change, refusals.result(error, of: change.mutation, version: version)))
  }

  private mutating func rule(_ change: SyncChange, in work: inout Work) throws {
    guard !change.isAlone else { return alone.append(change) }
    guard let type = change.type else {
      if case .refused(let error) = change.way { throw error }
      return
    }
    let (mutation, company) = (change.mutation, acting.company.id)
    let (reading, tx) = (reading, work.transaction)
    let standing = reading.standing(of: change)
    let ruling = try SyncRuling(mutation, type, standing) { _ in
      reading.changed(of: change)
    } isSame: { fields in
      let same = try tx.first(type.holds(company: company, id: mutation.record, fields), Bool.self)
      return same == true
    }
    guard case .proceed(let isMerge) = ruling else {
      return results.append((change, PushResult(mutation.no, .applied, version: standing?.version)))
    }
    if case .refused(let error) = change.way { throw error }
    try rights.requireApp(of: type)
    switch change.way {
    case .creation(let creation): try create(creation, change, type, in: &work)
    case .edit(let edit): try self.edit(edit, change, type, isMerge: isMerge, in: &work)
    case .transition(let request, _): try transition(request, change, type, in: &work)
    case .alone, .refused: break
    }
  }

  private mutating func create(
    _ creation: RecordCreation,
    _ change: SyncChange,
    _ type: RecordType,
    in work: inout Work
  )
    throws
  {
    let answers = try reading.answers(for: creation, of: change, made: made)
    let (records, acting, rights) = (records, acting, rights)
    try plan(change, isMerge: false, in: &work) { work in
      try creation.decide(answers, type, rights, acting, records, in: &work)
    }
    made.insert(SyncKey(type.name, creation.id))
    reading.count(type)
  }

  private mutating func edit(
    _ edit: RecordEdit,
    _ change: SyncChange,
    _ type: RecordType,
    isMerge: Bool,
    in work: inout Work
  ) throws {
    let record = try reading.record(of: change, type, rights)
    // An activation has moved the record to a version of the workflow that this reading does not know.
    guard records.next(type, of: acting.company.id, status: record.locked?.status) == nil else {
      return alone.append(change)
    }
    let permitted = try edit.permit(
      record,
      parents: reading.isAlive(edit.parents, made: made),
      type,
      rights,
      acting
    )
    try reading.requireMembers(in: edit.fields, of: type, before: permitted.before)
    guard edit.rule == nil else { return open.append((change, edit, permitted, isMerge)) }
    try write(edit, permitted, nil, change, type, isMerge: isMerge, in: &work)
  }

  private mutating func transition(
    _ request: TransitionRequest,
    _ change: SyncChange,
    _ type: RecordType,
    in work: inout Work
  ) throws {
    let record = try reading.record(of: change, type, rights)
    guard records.next(type, of: acting.company.id, status: record.locked?.status) == nil,
      let workflow = type.workflow
    else { return alone.append(change) }
    let access = rights.access
    let plan = try type.decide(
      request,
      on: record.snapshot,
      by: rights.kernel(acting, type),
      under: workflow,
      at: Instant(microseconds: access.now.microseconds)
    )
    try FieldCheck(type: type).require(request.fields)
    guard let locked = record.locked else { throw DomainError(.notFound) }
    let before = record.snapshot.fields
    try reading.requireMembers(in: request.fields, of: type, before: before)
    let (id, acting) = (change.mutation.record, acting)
    try self.plan(change, isMerge: false, in: &work) { work in
      try RecordWriter(type: type, acting: acting, access: access)
        .transition(id: id, plan: plan, from: locked, before: before, in: &work)
    }
  }

  /// Completes the edits of types with a rule. Takes a round trip if a rule asks something.
  private mutating func finish(in work: inout Work) throws {
    guard !open.isEmpty else { return }
    var edits = open
    open = []
    var refused: [Int: DomainError] = [:]
    let (acting, records) = (acting, records)
    let verdicts = try work.readMore { pipeline in
      try pipeline.sharing { pipeline in
        try edits.indices.map { index -> RecordRule.Verdict? in
          guard let type = edits[index].change.type else { return nil }
          do {
            return try edits[index].edit.ask(
              about: &edits[index].permitted,
              type,
              acting,
              records,
              &pipeline
            )
          } catch let error as DomainError {
            refused[index] = error
            return nil
          }
        }
      }
    }
    for (index, verdict) in verdicts.enumerated() {
      let (change, edit, permitted, isMerge) = edits[index]
      do {
        if let error = refused[index] { throw error }
        guard let type = change.type else { continue }
        try write(edit, permitted, verdict, change, type, isMerge: isMerge, in: &work)
      } catch let error as DomainError {
        refuse(change, error)
      }
    }
  }

  private mutating func write(
    _ edit: RecordEdit,
    _ permitted: RecordEdit.Permitted,
    _ verdict: RecordRule.Verdict?,
    _ change: SyncChange,
    _ type: RecordType,
    isMerge: Bool,
    in work: inout Work
  ) throws {
    let (records, acting, access) = (records, acting, rights.access)
    let hooks = reading.hooks(of: change)
    try plan(change, isMerge: isMerge, in: &work) { work in
      try edit.write(permitted, verdict, hooks: hooks, type, access, acting, records, in: &work)
    }
  }

  /// Adds a plan whose rows are written together with those of other plans.
  private mutating func plan(
    _ change: SyncChange,
    isMerge: Bool,
    in work: inout Work,
    _ body: (inout Work) throws -> RecordAnswer
  ) throws {
    var version: Int64?
    let numbers = work.numbers
    work.origin = RecordOrigin(device: device, clientTime: change.mutation.clientTime)
    defer { work.origin = nil }
    let writes: Changes
    do {
      writes = try work.apart(collecting: true) { version = try body(&$0).version }
    } catch {
      work.numbers = numbers
      throw error
    }
    let result = PushResult(change.mutation.no, isMerge ? .merged : .applied, version: version)
    plans.append(SyncPlan(change: change, result: result, writes: writes))
  }
}
