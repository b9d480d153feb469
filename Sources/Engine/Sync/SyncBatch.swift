internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store
internal import SyncProtocol

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
  /// The changes, wave by wave, and as the device sent them.
  private let waves: [[RecordChange]]
  private let mutations: [Int64: SyncMutation]
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
    _ waves: [[RecordChange]],
    revision: Int64,
    isFirst: Bool,
    judgedBefore: Int,
    isCareful: Bool
  ) {
    self.push = push
    self.acting = acting
    self.envelope = envelope
    self.waves = waves
    let own = Set(waves.joined().map(\.no))
    mutations = Dictionary(
      envelope.mutations.filter { own.contains($0.no) }.map { ($0.no, $0) }
    ) { first, _ in first }
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
    let mutations = changes.compactMap { self.mutations[$0.no] }
    let numbers = work.numbers
    let all = isFirst ? envelope.mutations : mutations
    // What deletions refer to has to be read before the locks.
    let isSeparate = isCareful || changes.contains { $0.operation.reachesOthers }
    let (access, first) = try work.read { pipeline in
      (
        ledger: SyncLedger.ask(company, device: envelope.device, nos: all.map(\.no), &pipeline),
        references: ChangeRun.askReferences(of: changes, acting, &pipeline),
        questions: isSeparate
          ? nil
          : try ChangeRun.ask(
            waves.first ?? [],
            locking: changes,
            records,
            acting,
            device: envelope.device,
            numbers,
            &pipeline
          )
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
    let run = ChangeRun(
      records: records,
      acting: acting,
      rights: rights,
      policy: SyncRuling(device: device.id),
      isCareful: isCareful
    )
    if isSeparate { try run.lock(changes, first.references, in: work) }
    let refusals = SyncRefusals(records: records, acting: acting, rights: rights)
    for (index, wave) in waves.enumerated() {
      let asked = index == 0 ? first.questions : nil
      try judge(wave, asked, isLast: index == waves.count - 1, run, refusals, &ledger, in: &work)
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
    // The ledger was read before these judgements, which are the answer to the wish.
    let wanted = ledger.wanted.filter { results[$0]?.result.isFinal != true }
    return Answer(results: results, wanted: wanted, epoch: access.epoch)
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

  /// Judges the changes of a wave.
  private mutating func judge(
    _ wave: [RecordChange],
    _ asked: ChangeQuestions?,
    isLast: Bool,
    _ run: ChangeRun,
    _ refusals: SyncRefusals,
    _ ledger: inout SyncLedger,
    in work: inout Work
  ) throws {
    var open: [RecordChange] = []
    for change in wave {
      guard let mutation = mutations[change.no] else { continue }
      if let answer = try ledger.answer(to: mutation) {
        results[change.no] = answer
      } else {
        open.append(change)
      }
    }
    guard !open.isEmpty else { return }
    for (change, outcome) in try run.apply(open, asked, isLast: isLast, in: &work) {
      guard let mutation = mutations[change.no] else { continue }
      let isPrivate = change.type?.definition.scope == .owner
      results[change.no] = try ledger.keep(
        refusals.result(outcome, of: mutation),
        of: mutation,
        owner: isPrivate ? acting.user : nil
      )
    }
  }
}
