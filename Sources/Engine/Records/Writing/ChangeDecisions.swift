internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store
internal import SyncProtocol

/// A change that the rules permit, with what it writes.
struct ChangePlan {
  let change: RecordChange
  let answer: RecordAnswer
  /// True if others had changed other columns.
  let isMerge: Bool
  let writes: Changes
}

/// The decisions on the changes of a wave, from one reading: the policy of the writer, then the rules for all writers.
struct ChangeDecisions {
  private let records: Records
  private let acting: ActingContext
  private let rights: Rights
  private let policy: (any ChangePolicy)?
  private var reading: ChangeReading
  /// The rights in the form that the kernel requires, by type.
  private var kernels: [String: ActorRights] = [:]
  /// The records that the wave creates.
  private var made: Set<ChangeKey> = []
  /// The permitted edits of types with a rule, which needs another round trip.
  private var open:
    [(change: RecordChange, edit: RecordEdit, permitted: RecordEdit.Permitted, isMerge: Bool)] =
      []

  /// The permitted changes.
  private(set) var plans: [ChangePlan] = []
  /// True if the change is not decided with others: its writes and follow-ups go to the unit of work at once.
  private var isAlone = false
  /// The changes that are applied by statements of their own, after the plans.
  private(set) var alone: [RecordChange] = []
  /// The decisions on changes that write nothing.
  private(set) var outcomes: [(change: RecordChange, outcome: ChangeOutcome)] = []

  /// - Parameter policy: what is decided before the rules for all writers; nil for nothing.
  init(
    _ records: Records,
    _ acting: ActingContext,
    _ rights: Rights,
    _ policy: (any ChangePolicy)?,
    _ reading: ChangeReading
  ) {
    self.records = records
    self.acting = acting
    self.rights = rights
    self.policy = policy
    self.reading = reading
  }

  /// Decides changes in their order.
  mutating func decide(_ changes: [RecordChange], in work: inout Work) throws {
    try reading.keepNumbers(in: &work)
    for change in changes {
      do {
        try rule(change, in: &work)
      } catch let error as DomainError {
        refuse(change, error)
      }
    }
    try finish(in: &work)
    // Edits with a rule are finished last, but the feed shows changes in their order.
    plans.sort { $0.change.no < $1.change.no }
  }

  /// Decides a change by itself, and adds its writes and follow-ups to the unit of work.
  mutating func decideAlone(_ change: RecordChange, in work: inout Work) throws -> ChangeOutcome {
    isAlone = true
    try reading.keepNumbers(in: &work)
    try rule(change, in: &work)
    try finish(in: &work)
    guard let outcome = outcomes.first?.outcome else { throw DomainError(.internal) }
    return outcome
  }

  private mutating func refuse(_ change: RecordChange, _ error: DomainError) {
    outcomes.append((change, .refused(error, version: reading.standing(of: change)?.version)))
  }

  private mutating func rule(_ change: RecordChange, in work: inout Work) throws {
    guard isAlone || !change.isAlone else { return alone.append(change) }
    guard let type = change.type else {
      if case .refused(let error) = change.way { throw error }
      return
    }
    var isMerge = false
    switch try ruling(on: change, type, in: work) {
    case .proceed(let merges)?: isMerge = merges
    case .done(let version)?: return outcomes.append((change, .done(version: version)))
    case nil: break
    }
    if case .refused(let error) = change.way { throw error }
    try rights.requireApp(of: type)
    switch change.way {
    case .creation(let creation): try create(creation, change, type, in: &work)
    case .edit(let edit): try self.edit(edit, change, type, isMerge: isMerge, in: &work)
    case .transition(let request, _): try transition(request, change, type, in: &work)
    case .other, .refused: break
    }
  }

  /// Returns what the policy says about a change; nil if there is none.
  private func ruling(on change: RecordChange, _ type: RecordType, in work: Work) throws -> ChangeRuling? {
    let (company, tx) = (acting.company.id, work.transaction)
    return try policy?.ruling(on: change.request, type, reading.standing(of: change)) { _ in
      reading.changed(of: change)
    } isSame: { fields in
      let same = try tx.first(type.holds(company: company, id: change.id, fields), Bool.self)
      return same == true
    }
  }

  private mutating func create(
    _ creation: RecordCreation,
    _ change: RecordChange,
    _ type: RecordType,
    in work: inout Work
  )
    throws
  {
    let answers = try reading.answers(for: creation, of: change, made: made, rights)
    let (records, acting, rights) = (records, acting, rights)
    try plan(change, isMerge: false, in: &work) { work in
      try creation.decide(answers, type, rights, acting, records, in: &work)
    }
    made.insert(ChangeKey(type.name, creation.id))
    reading.count(type)
  }

  private mutating func edit(
    _ edit: RecordEdit,
    _ change: RecordChange,
    _ type: RecordType,
    isMerge: Bool,
    in work: inout Work
  ) throws {
    let record = try reading.record(of: change, type, rights)
    guard isAlone || !isAhead(record, type) else { return alone.append(change) }
    let permitted = try edit.permit(
      record,
      version: change.operation.expectedVersion,
      parents: try reading.isAlive(
        edit.parents,
        made: made,
        kept: type.named(in: record.snapshot.fields),
        rights
      ),
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
    _ change: RecordChange,
    _ type: RecordType,
    in work: inout Work
  ) throws {
    let record = try reading.record(of: change, type, rights)
    guard isAlone || !isAhead(record, type) else { return alone.append(change) }
    guard let workflow = type.workflow else { throw DomainError(.internal) }
    let access = rights.access
    var plan = try type.decide(
      request,
      on: record.snapshot,
      by: kernel(of: type),
      under: workflow,
      at: access.now
    )
    guard let locked = record.locked else { throw DomainError(.notFound) }
    let before = record.snapshot.fields
    let (id, acting, records, follows) = (change.id, acting, records, isAlone)
    let fields = workflow.transition(request.transition)?.required(of: request.fields) ?? [:]
    if !fields.isEmpty {
      let edit = try RecordEdit(records, acting, type, id: id, fields: fields)
      try reading.requireMembers(in: fields, of: type, before: before)
      let permitted = RecordEdit.Permitted(locked: locked, before: before, complete: edit.fields)
      plan = plan.writing(
        try follows ? checked(edit, permitted, type, in: work) : edit.fields,
        insteadOf: fields.count
      )
    }
    try self.plan(change, isMerge: false, in: &work) { [plan] work in
      let answer = try RecordWriter(type: type, acting: acting, access: access)
        .transition(id: id, plan: plan, from: locked, before: before, in: &work)
      guard follows else { return answer }
      let latest = try records.follow(plan, of: type, answer, from: acting, in: &work)
      try records.create(from: plan, of: type, before, from: acting, in: &work)
      return latest
    }
  }

  /// Returns the fields of a transition in their stored form, after the checks of an edit: its parents and the type's
  /// rule.
  private func checked(
    _ edit: RecordEdit,
    _ permitted: RecordEdit.Permitted,
    _ type: RecordType,
    in work: Work
  ) throws -> JSONObject {
    let alive = try reading.isAlive(
      edit.parents,
      made: made,
      kept: type.named(in: permitted.before),
      rights
    )
    for (parent, isAlive) in zip(edit.parents, alive) { try parent.require(isAlive) }
    var permitted = permitted
    guard edit.rule != nil else { return permitted.complete }
    let verdict = try work.readMore { try edit.ask(about: &permitted, type, acting, records, &$0) }
    return try edit.complete(permitted, verdict, type, rights.access)
  }

  /// True if an activation has moved a record to a version of the workflow that this reading does not know.
  private func isAhead(_ record: RecordReading, _ type: RecordType) -> Bool {
    records.next(type, of: acting.company.id, status: record.locked?.status) != nil
  }

  private mutating func kernel(of type: RecordType) -> ActorRights {
    if let known = kernels[type.name] { return known }
    let kernel = rights.kernel(acting, type)
    kernels[type.name] = kernel
    return kernel
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
      } catch let error as DomainError where !isAlone {
        refuse(change, error)
      }
    }
  }

  private mutating func write(
    _ edit: RecordEdit,
    _ permitted: RecordEdit.Permitted,
    _ verdict: RecordRule.Verdict?,
    _ change: RecordChange,
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
    _ change: RecordChange,
    isMerge: Bool,
    in work: inout Work,
    _ body: (inout Work) throws -> RecordAnswer
  ) throws {
    guard !isAlone else {
      return outcomes.append((change, .applied(try body(&work), isMerge: isMerge)))
    }
    let numbers = work.numbers
    work.origin = change.request.origin
    defer { work.origin = nil }
    var answer: RecordAnswer?
    let writes: Changes
    do {
      writes = try work.apart(collecting: true) { answer = try body(&$0) }
    } catch {
      work.numbers = numbers
      throw error
    }
    guard let answer else { return }
    plans.append(ChangePlan(change: change, answer: answer, isMerge: isMerge, writes: writes))
  }
}
