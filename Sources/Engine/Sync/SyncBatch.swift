internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store
internal import SyncProtocol

/// Thrown if the changes were prepared under workflows that the company no longer follows.
struct OutdatedWorkflows: Error {}

/// The changes of a push that one transaction judges.
///
/// The first round trip asks everything about the first wave; the last one writes and commits. Each further wave takes
/// two more. If PostgreSQL refuses a value, the transaction is run again with care: then each wave is written inside a
/// savepoint, and the refused change is found by halves.
struct SyncBatch {
  /// The judgements of a transaction.
  struct Answer: Sendable, Codable {
    var results: [Int64: PushResult]
    let wanted: [Int64]
    let epoch: UUID
  }

  private let push: SyncPush
  private let acting: ActingContext
  private let envelope: PushEnvelope
  /// The changes, wave by wave.
  private let waves: [[SyncChange]]
  /// True for the first transaction of a push, which also looks for numbers that were used for other changes.
  private let isFirst: Bool
  /// The number of changes of the push that earlier transactions judged.
  private let judgedBefore: Int
  private let isCareful: Bool
  /// The revision of the company's workflows under which the changes are prepared.
  private let revision: Int64
  private var results: [Int64: PushResult] = [:]

  init(
    _ push: SyncPush,
    _ acting: ActingContext,
    _ envelope: PushEnvelope,
    _ waves: [[SyncChange]],
    revision: Int64,
    isFirst: Bool,
    judgedBefore: Int,
    isCareful: Bool
  ) {
    self.push = push
    self.acting = acting
    self.envelope = envelope
    self.waves = waves
    self.revision = revision
    self.isFirst = isFirst
    self.judgedBefore = judgedBefore
    self.isCareful = isCareful
  }

  private var records: Records { push.records }
  private var company: UUID { acting.company.id }

  /// Judges the changes and adds the writes to the unit of work.
  mutating func run(in work: inout Work) throws -> Answer {
    let changes = waves.flatMap(\.self)
    let mutations = changes.map(\.mutation)
    let numbers = work.numbers
    let all = isFirst ? envelope.mutations : mutations
    // Deletions also lock what their records refer to, which has to be read before.
    let deleted = referring(changes)
    let isSeparate = isCareful || !deleted.isEmpty
    let (access, first) = try work.read { pipeline in
      (
        ledger: SyncLedger.ask(company, device: envelope.device, nos: all.map(\.no), &pipeline),
        references: deleted.map { type, ids in
          (type, pipeline.rows(type.whole(company: company, each: ids, guards: []), as: GlancedRecord.self))
        },
        questions: isSeparate ? nil : try ask(waves.first ?? [], changes, numbers, &pipeline)
      )
    }
    let (rights, device) = try admit(access, first.ledger)
    var ledger = try SyncLedger(first.ledger, device)
    try ledger.requireUnused(all)
    if isFirst { try ledger.requireConfirmed(all) }
    if changes.contains(where: { $0.type?.workflow != nil }) {
      guard access.workflowRevision == revision else { throw OutdatedWorkflows() }
      work.decided(under: revision)
    }
    if isSeparate {
      let parents = try first.references.flatMap { type, rows in
        try rows.all.flatMap { try records.parents(of: type, $0.document.value().object ?? [:]) }
      }
      let locks = SyncLocks(changes, references: parents, records)
      _ = try work.readMore { try SyncQuestions([], locks, acting, device: device.id, numbers, &$0) }
    }
    let refusals = SyncRefusals(records: records, acting: acting, rights: rights)
    for (index, wave) in waves.enumerated() {
      let asked = index == 0 ? first.questions : nil
      try judge(wave, asked, isLast: index == waves.count - 1, refusals, &ledger, in: &work)
    }
    try refusals.show(&results, mutations, in: work)
    work.changes.rows += ledger.statements(company: company, now: access.now)
    if isFirst, let statement = push.queued(envelope, acting) { work.changes.rows.append(statement) }
    let judgedNow = results.values.count { $0.result.isFinal }
    work.changes.rows.append(
      DeviceStore.pushed(
        company: company,
        id: device.id,
        schemaVersion: envelope.schemaVersion ?? device.schemaVersion,
        maxNo: mutations.map(\.no).max() ?? 0,
        confirmedNo: envelope.confirmedNo,
        queue: envelope.queue.adding(waiting: envelope.mutations.count - judgedBefore - judgedNow),
        now: access.now
      )
    )
    return Answer(results: results, wanted: ledger.wanted, epoch: access.epoch)
  }

  /// Checks the member and the device.
  private func admit(_ access: Access, _ ledger: SyncLedger.Tickets) throws -> (Rights, DeviceRow) {
    guard access.catalogueNumber == records.catalogue.number else { throw OutdatedCatalogue() }
    let rights = try Rights(acting, access)
    try rights.requireCompany(permits: .write)
    let device = try DeviceCheck(acting).require(ledger.device.first)
    try DeviceCheck(acting).require(
      schema: envelope.schemaVersion ?? device.schemaVersion,
      of: envelope.mutations.map(\.type),
      records.catalogue
    )
    if let epoch = envelope.epoch, epoch != access.epoch { throw SyncPush.restored }
    return (rights, device)
  }

  /// Queues the questions about a wave, with the locks of `locked`.
  private func ask(
    _ wave: [SyncChange],
    _ locked: [SyncChange],
    _ numbers: WorkNumbers,
    _ pipeline: inout Pipeline
  ) throws -> SyncQuestions {
    try SyncQuestions(
      wave,
      SyncLocks(locked, records),
      acting,
      device: envelope.device,
      numbers,
      &pipeline
    )
  }

  /// Judges the changes of a wave.
  private mutating func judge(
    _ wave: [SyncChange],
    _ asked: SyncQuestions?,
    isLast: Bool,
    _ refusals: SyncRefusals,
    _ ledger: inout SyncLedger,
    in work: inout Work
  ) throws {
    var open: [SyncChange] = []
    for change in wave {
      if let answer = try ledger.answer(to: change.mutation) {
        results[change.mutation.no] = answer
      } else {
        open.append(change)
      }
    }
    guard !open.isEmpty else { return }
    let alone = SyncAlone(records: records, acting: acting, refusals: refusals, device: ledger.device.id)
    var done: [(SyncChange, PushResult)] = []
    if let questions = try asked ?? questions(about: open, in: &work) {
      var decisions = SyncDecisions(
        records,
        acting,
        refusals,
        try SyncReading(questions),
        device: ledger.device.id
      )
      try decisions.decide(open, in: &work)
      let writer = SyncWriter(
        refusals: refusals,
        isCareful: isCareful,
        travels: isLast && decisions.alone.isEmpty
      )
      done = decisions.results + (try writer.write(decisions.plans, in: &work))
      for change in decisions.alone { done.append((change, try alone.apply(change, in: &work))) }
    } else {
      for change in open { done.append((change, try alone.apply(change, in: &work))) }
    }
    for (change, result) in done {
      let isPrivate = change.type?.definition.scope == .owner
      results[change.mutation.no] = try ledger.keep(
        result,
        of: change.mutation,
        owner: isPrivate ? acting.user : nil
      )
    }
  }

  /// Asks about a wave. Nil if PostgreSQL refused a value of some change, so that each has to be asked alone.
  private func questions(about wave: [SyncChange], in work: inout Work) throws -> SyncQuestions? {
    let (numbers, tx) = (work.numbers, work.transaction)
    guard isCareful else { return try tx.pipeline { try ask(wave, wave, numbers, &$0) } }
    do {
      return try tx.savepoint { tx in try tx.pipeline { try ask(wave, wave, numbers, &$0) } }
    } catch let error as PostgresError where error.isRefusalOfValue {
      return nil
    }
  }

  /// Returns the records of deletions whose type has references, by type.
  private func referring(_ changes: [SyncChange]) -> [(type: RecordType, ids: [UUID])] {
    var found: [String: (type: RecordType, ids: [UUID])] = [:]
    for change in changes where change.mutation.operation.isDeletion {
      guard let type = change.type, !type.definition.references.isEmpty else { continue }
      found[type.name, default: (type, [])].ids.append(change.mutation.record)
    }
    return found.sorted { $0.key < $1.key }.map(\.value)
  }
}
