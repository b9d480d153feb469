internal import Domain
package import FoundationEssentials
package import Postgres
package import Secrets

/// Runs every command that writes records, in two pipelined round trips.
///
/// The first round trip reads the company, the member's rights and the command's own data. The body decides
/// from these values. The second round trip writes all changes and commits, so that an effect is never lost
/// and never happens without its cause.
package struct UnitOfWork: Sendable {
  private let database: Database
  private let ids: UUIDv7Generator
  private let notifier: JobNotifier
  private let hints: SyncNotifier
  private let denials: DenialAudit
  private let catalogue: LiveCatalogue

  package init(
    _ database: Database,
    ids: UUIDv7Generator,
    catalogue: LiveCatalogue,
    notifies moment: JobNotifier.Moment = .beforeReturning
  ) {
    self.catalogue = catalogue
    self.database = database
    self.ids = ids
    notifier = JobNotifier(database, moment: moment)
    hints = SyncNotifier(database, moment: moment)
    denials = DenialAudit(database)
  }

  /// Runs a command. A denied one leaves an audit entry.
  ///
  /// - Parameters:
  ///   - context: the actor, the company and the request.
  ///   - dryRun: true to decide and write, and then roll back.
  ///   - lockTimeout: the lock timeout; nil for 5 s.
  ///   - body: reads with ``Work/read(_:)``, decides, and leaves its changes in ``Work/changes``. It may run
  ///     again after a deadlock, so it must have no effects outside the database.
  /// - Returns: the body's answer; if the idempotency key was used before, the first answer.
  package func perform<Answer: Sendable & Codable>(
    _ context: WorkContext,
    dryRun: Bool = false,
    lockTimeout: Duration? = nil,
    _ body: @escaping @Sendable (inout Work) throws -> Answer
  ) async throws -> Answer {
    try await Rehearsal.$isOn.withValue(dryRun || Rehearsal.isOn) {
      try await denials.watching(context) {
        try await attempt(context, lockTimeout: lockTimeout, body)
      }
    }
  }

  private func attempt<Answer: Sendable & Codable>(
    _ context: WorkContext,
    lockTimeout: Duration?,
    _ body: @escaping @Sendable (inout Work) throws -> Answer
  ) async throws -> Answer {
    var options = TransactionOptions.inside(context.company, user: context.user, mode: context.mode)
    options.statementTimeout = context.mode == .engine ? .seconds(10) : .seconds(600)
    if let lockTimeout {
      options.lockTimeout = lockTimeout
      options.statementTimeout = max(options.statementTimeout ?? .zero, lockTimeout * 2)
    }
    // What a command reads and writes, it finds by keys.
    if context.mode == .engine { options.settings.append(.genericPlans) }
    options.retries = 5
    options.resolvesLostCommit = true
    let note = WorkNote.current
    let isRehearsal = Rehearsal.isOn
    let key = context.idempotency == nil && !isRehearsal ? RequestKey.current : nil
    let catalogue = catalogue.current
    let dependants = catalogue.dependants
    let (answer, notification, concernsDevices) = try await database.transaction(options) {
      [ids] tx -> (Answer, JobNotification?, Bool) in
      try key?.claim(tx)
      var work = Work(
        tx: tx,
        context: context,
        catalogue: catalogue,
        ids: ids,
        note: note,
        isRepeatable: true
      )
      let answer: Answer
      do {
        answer = try body(&work)
      } catch let replay as Replay {
        try tx.rollback()
        note?.noteReplay()
        return (try replay.answer.decoded(as: Answer.self), nil, false)
      } catch {
        if let conflict = work.conflict, Self.isLess(error) { throw conflict }
        throw error
      }
      if let conflict = work.conflict { throw conflict }
      guard let access = work.access else { return (answer, nil, false) }
      // Written in a rehearsal too: constraints, keys and triggers decide.
      let json = context.idempotency == nil || isRehearsal ? nil : try JSON(encoding: answer)
      let checkpoint = try tx.commit(provenBy: work.changes.proof(company: context.company)) { pipeline in
        work.changes.write(
          into: &pipeline,
          context: context,
          now: access.now,
          answer: json,
          dependants: dependants
        ) { ids.next() }
        return note?.wantsCheckpoint == true
          ? pipeline.value(FeedReader.checkpoint(company: context.company), as: Int64.self) : nil
      }
      if let checkpoint { note?.note(checkpoint: try checkpoint.first ?? 0) }
      return isRehearsal
        ? (answer, nil, false) : (answer, work.changes.notification, work.changes.concernsDevices)
    }
    if let notification { await notifier.notify(notification) }
    if concernsDevices { await hints.notify(context.company) }
    return answer
  }

  /// True if an error is reported only after a conflict of the idempotency key. A denial and a record that the
  /// actor may not see come first, so that the conflict is told only to those who may make the request.
  private static func isLess(_ error: any Error) -> Bool {
    switch error {
    case let error as DomainError: error.category != .denied && error.code != .notFound
    case let error as PostgresError: error.kind == .server && !error.isRetryable
    default: false
    }
  }

  /// Runs a command within the caller's transaction, which the caller commits: for the effects of a job,
  /// together with its success.
  ///
  /// The transaction must be inside the context's company and in its write mode. It must not wait for further
  /// locks after this call. The context has no idempotency key: the caller prevents repetitions.
  package func perform<Answer>(
    _ context: WorkContext,
    in tx: Transaction,
    _ body: (inout Work) throws -> Answer
  ) throws -> Answer {
    var work = Work(tx: tx, context: context, catalogue: catalogue.current, ids: ids)
    let answer = try body(&work)
    guard let access = work.access else { return answer }
    try tx.pipeline { pipeline in
      work.changes.write(
        into: &pipeline,
        context: context,
        now: access.now,
        answer: nil,
        dependants: catalogue.current.dependants
      ) { ids.next() }
    }
    tell(of: work.changes, context.company, after: tx)
    return answer
  }
}

extension UnitOfWork {
  /// Notifies workers and serving processes of changes once the caller has committed them.
  private func tell(of changes: Changes, _ company: UUID, after tx: Transaction) {
    let (notification, concernsDevices) = (changes.notification, changes.concernsDevices)
    guard notification != nil || concernsDevices else { return }
    tx.afterCommit { [notifier, hints] in
      // Not a child task: the transaction does not wait for notifications.
      Task {
        if let notification { await notifier.notify(notification) }
        if concernsDevices { await hints.notify(company) }
      }
    }
  }
}

/// A unit of work in progress. It must not leave the thread of its transaction.
package struct Work {
  /// The changes to write in the second round trip.
  package var changes = Changes()
  /// The actor, the company and the request.
  package let context: WorkContext
  /// The company and the member's rights; nil before they are read.
  package private(set) var access: Access?
  /// The numbers of records that the unit of work has taken or reserved.
  package var numbers = WorkNumbers()
  /// The error to throw once the actor is known to be authorised: the idempotency key was used for another
  /// request. Nil if the key is new.
  fileprivate var conflict: DomainError?
  /// The number of writes that led to this one, each caused by the previous one.
  package var depth = 0
  /// The device whose change is being applied; nil for other writers.
  package var origin: RecordOrigin?

  /// True if the body may throw ``OutdatedCatalogue`` to be run again.
  package let isRepeatable: Bool

  private let tx: Transaction
  private let catalogue: TypeCatalogue
  private let ids: UUIDv7Generator
  private let note: WorkNote?

  init(
    tx: Transaction,
    context: WorkContext,
    catalogue: TypeCatalogue,
    ids: UUIDv7Generator,
    note: WorkNote? = nil,
    isRepeatable: Bool = false
  ) {
    self.tx = tx
    self.context = context
    self.catalogue = catalogue
    self.ids = ids
    self.note = note
    self.isRepeatable = isRepeatable
  }

  /// Records the company's workflow revision under which something was decided. The unit of work fails if the
  /// revision differs when the gate is locked.
  package mutating func decided(under revision: Int64) {
    changes.workflowRevision = min(changes.workflowRevision ?? revision, revision)
  }

  /// Returns the changes that `body` makes, and removes them from this unit of work; the caller may add them
  /// again.
  ///
  /// - Parameter collects: true to collect the rows of records, so that they are written together with others.
  package mutating func apart(collecting collects: Bool = false, _ body: (inout Work) throws -> Void) rethrows
    -> Changes
  {
    let rest = changes
    changes = Changes()
    changes.collectsRecords = collects
    defer { changes = rest }
    try body(&self)
    return changes
  }

  /// Returns a new time-ordered id.
  package func newID() -> UUID { ids.next() }

  /// Performs the first round trip: reads the company and the rights, and queues the command's own reads.
  /// Later calls perform the command's own reads only.
  ///
  /// If the idempotency key was used for the same request, leaves the body, and an active member gets the first
  /// answer. If the actor used it for another request, the unit of work ends with `idempotency_conflict` after the
  /// body has authorised the actor.
  ///
  /// - Throws: `not_found` if there is no such company, `forbidden` for a repetition by a former member.
  package mutating func read<Tickets>(_ queue: (inout Pipeline) throws -> Tickets) throws -> (Access, Tickets)
  {
    if let access { return (access, try tx.pipeline(queue)) }
    let (context, catalogue) = (context, catalogue)
    let (key, first, tickets) = try tx.pipeline { pipeline in
      let key = context.idempotency.map { idempotency in
        let claimed = pipeline.execute(
          """
          insert into core.idempotency (company_id, key, actor, request_hash)
          values (
            \(context.company), \(idempotency.key), \(context.actor.label),
            \(context.writtenHash ?? idempotency.requestHash)
          )
          on conflict do nothing
          """
        )
        let stored = pipeline.rows(
          """
          select i.request_hash, i.answer from core.idempotency i
          where i.company_id = \(context.company) and i.actor = \(context.actor.label)
            and i.key = \(idempotency.key)
          """,
          [UInt8].self,
          JSON?.self
        )
        return (claimed: claimed, stored: stored)
      }
      let access = AccessTicket(context, catalogue, &pipeline)
      return (key, access, try queue(&pipeline))
    }
    guard let access = try first.first else { throw DomainError(.notFound, "there is no such company") }
    note?.note(access.epoch)
    if let key, let idempotency = context.idempotency, try key.claimed.affected == 0 {
      if let (hash, answer) = try key.stored.first, let answer,
        hash == context.writtenHash || hash == idempotency.requestHash
      {
        if let user = context.user, context.actor.kind != .system {
          try AccessRules.requireActive(access.member(user))
        }
        guard access.isCredentialValid else { throw DomainError(.sessionExpired) }
        throw Replay(answer: answer)
      }
      conflict = DomainError(
        .idempotencyConflict,
        "the key \(Quoted(idempotency.key)) was used for another request"
      )
    }
    try note?.requireEpoch(access)
    self.access = access
    return (access, tickets)
  }

  /// Queries more data in another round trip, for the few commands whose reads depend on earlier ones.
  package func readMore<Tickets>(_ queue: (inout Pipeline) throws -> Tickets) throws -> Tickets {
    try tx.pipeline(queue)
  }

  /// Sends the rows and the history collected so far, because later statements refer to them.
  package mutating func writeRowsNow() throws {
    let (tx, company) = (tx, context.company)
    try tx.pipeline { pipeline in changes.writeRows(into: &pipeline, company: company) }
  }

  /// The transaction itself, for bulk work that streams rows.
  package var transaction: Transaction { tx }
}

/// Thrown by the body of a repeatable unit of work: the process knows outdated record types.
package struct OutdatedCatalogue: Error {
  package init() {}
}

/// Thrown to leave the body when the answer is already known.
private struct Replay: Error {
  let answer: JSON
}
