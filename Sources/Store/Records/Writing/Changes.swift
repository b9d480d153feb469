internal import Domain
package import FoundationEssentials
package import Postgres

/// The number and hash of the newest entry of a record's history, stored in the record's row.
package struct HistoryHead: Sendable {
  package let seq: Int64
  package let hash: [UInt8]

  package init(seq: Int64, hash: [UInt8]) {
    self.seq = seq
    self.hash = hash
  }
}

/// A time at which the system applies a transition to a record, unless the record leaves its status before.
package struct NewTimer: Sendable {
  package let recordType: String
  package let recordID: UUID
  /// The owner of a private record; nil if the record belongs to the company.
  package let owner: UUID?
  /// The history sequence number of the change that entered the status. A timer of an earlier stay in the
  /// status is void.
  package let entryNo: Int64
  /// The transition to fire.
  package let fire: String
  package let dueAt: Instant
  /// The interval between repetitions, in seconds; nil to fire once.
  package let repeatSeconds: Int64?
  /// The number of times that the timer may still fire; nil for no limit.
  package let remaining: Int?

  package init(
    recordType: String,
    recordID: UUID,
    owner: UUID? = nil,
    entryNo: Int64,
    fire: String,
    dueAt: Instant,
    repeatSeconds: Int64?,
    remaining: Int?
  ) {
    self.recordType = recordType
    self.recordID = recordID
    self.owner = owner
    self.entryNo = entryNo
    self.fire = fire
    self.dueAt = dueAt
    self.repeatSeconds = repeatSeconds
    self.remaining = remaining
  }
}

/// An event for those webhooks of the company that subscribe to it.
package struct WebhookEvent: Sendable {
  /// The number of attempts to deliver an event, over about three days.
  package static let maxAttempts = 21

  package let event: String
  package let recordType: String
  package let recordID: UUID
  package let historySeq: Int64
  /// Another name under which webhooks subscribe to the event, such as `maintenance.entry.*`; nil for none.
  package let wildcard: String?

  package init(
    event: String,
    recordType: String,
    recordID: UUID,
    historySeq: Int64,
    wildcard: String? = nil
  ) {
    self.event = event
    self.wildcard = wildcard
    self.recordType = recordType
    self.recordID = recordID
    self.historySeq = historySeq
  }
}

/// All changes of one unit of work, in the order in which they are written.
package struct Changes: Sendable {
  /// The statements that write rows.
  package var rows: [SQL] = []
  /// The rows of records that are written together, before ``rows``. No record occurs twice.
  package private(set) var records: [RecordWrite] = []
  /// True to collect rows of records in ``records`` instead of writing each by a statement.
  var collectsRecords = false
  package var history: [HistoryRecord] = []
  package var timers: [NewTimer] = []
  package var jobs: [NewJob] = []
  package var webhooks: [WebhookEvent] = []
  package var audit: [AuditEntry] = []
  package var feed: [FeedChange] = []
  /// The lowest workflow revision of the company under which something was decided; nil if no workflow was
  /// used.
  package internal(set) var workflowRevision: Int64?

  package init() {}

  /// The numbers of new records whose rows are not written yet, by type. Quotas count them.
  package private(set) var unwritten: [String: Int] = [:]

  /// Adds the row of a record.
  package mutating func write(_ record: RecordWrite, company: UUID) {
    if case .insert = record.kind { unwritten[record.type.name, default: 0] += 1 }
    if collectsRecords { records.append(record) } else { rows.append(record.statement(company: company)) }
  }

  /// The maximum number of rows of a kind that are inserted one by one, by statements that every connection
  /// has prepared. More rows are inserted together.
  static let few = 4

  /// The lanes that will have new jobs after the commit; nil if there are none.
  private(set) var notification: JobNotification?

  /// True if devices have something to learn: of a record, of rights, or of a decision about a change.
  var concernsDevices: Bool { !feed.isEmpty || audit.contains(where: \.concernsDevices) }

  /// What happened to the records whose entries of the history were sent, by id.
  private var effects: [UUID: RecordEffect] = [:]

  /// The last history entry among the rows that were sent early.
  private var lastSent: HistoryRecord?

  /// Returns a query that finds a row if and only if these changes were committed; nil if no history entry
  /// was written.
  func proof(company: UUID) -> SQL? { (history.last ?? lastSent).map { $0.proof(company: company) } }

  /// Adds changes that were collected separately, or later changes after their rows were sent.
  package mutating func append(_ other: Changes) {
    rows += other.rows
    records += other.records
    unwritten.merge(other.unwritten) { $0 + $1 }
    history += other.history
    timers += other.timers
    jobs += other.jobs
    webhooks += other.webhooks
    audit += other.audit
    feed += other.feed
    effects.merge(other.effects) { $0.adding($1) }
    lastSent = other.lastSent ?? lastSent
    if let told = other.notification { tell(told) }
    if let revision = other.workflowRevision {
      workflowRevision = min(workflowRevision ?? revision, revision)
    }
  }

  /// Queues the rows and the history collected so far, and removes them from the changes.
  mutating func writeRows(into pipeline: inout Pipeline, company: UUID) {
    for statement in takeRows(company: company) { pipeline.execute(statement) }
  }

  /// Returns the statements for all changes that may be written before the gate, in order: rows, history,
  /// timers, jobs and webhooks. Removes these changes.
  package mutating func takeStatements(context: WorkContext) -> [SQL] {
    var statements = takeRows(company: context.company)
    if timers.count > Self.few {
      statements += timers.chunked().map { arm($0, company: context.company) }
    } else {
      statements += timers.map { arm($0, company: context.company) }
    }
    statements += JobOutbox.statements(
      jobs,
      company: context.company,
      traceID: context.requestID.uuidString.lowercased()
    )
    statements += webhooks.chunked().map { deliver($0, context: context) }
    if let told = JobNotification(jobs, company: context.company) { tell(told) }
    if !webhooks.isEmpty {
      tell(
        JobNotification(
          Lane(company: context.company, queue: "default", kind: "webhook.deliver", priority: 2)
        )
      )
    }
    timers = []
    jobs = []
    webhooks = []
    return statements
  }

  private mutating func tell(_ told: JobNotification) {
    if notification == nil { notification = told } else { notification?.add(told) }
  }

  private mutating func takeRows(company: UUID) -> [SQL] {
    var statements = records.isEmpty ? rows : RecordWrites(records).statements(company: company) + rows
    if history.count > Self.few {
      statements += history.chunked().map { HistoryRecord.insert($0, company: company) }
    } else {
      statements += history.map { $0.insert(company: company) }
    }
    for record in history {
      let effect = RecordEffect(record.draft)
      effects[record.entry.record] = effects[record.entry.record]?.adding(effect) ?? effect
    }
    lastSent = history.last ?? lastSent
    rows = []
    records = []
    unwritten = [:]
    history = []
    return statements
  }

  /// Queues all changes. The gate and the feed come last: after the gate, nothing may wait for a lock.
  ///
  /// - Parameter dependants: the records that show something of the changed ones.
  mutating func write(
    into pipeline: inout Pipeline,
    context: WorkContext,
    now: Instant,
    answer: JSON?,
    dependants: FeedDependants = .none,
    newID: () -> UUID
  ) {
    for statement in takeStatements(context: context) { pipeline.execute(statement) }
    for entry in audit { pipeline.execute(AuditWriter.insert(entry, id: newID(), context: context)) }
    if let idempotency = context.idempotency, let answer {
      pipeline.execute(
        """
        update core.idempotency set answer = \(answer)
        where company_id = \(context.company) and actor = \(context.actor.label) and key = \(idempotency.key)
        """
      )
    }
    guard !feed.isEmpty else { return }
    pipeline.execute(FeedWriter.gate(company: context.company))
    let (newest, company) = (newest, context.company)
    let shown = dependants.query(newest, effects, company: company)
    // Few rows take one statement, which costs more to start than a row to write. Many new rows are written without a
    // conflict clause, which dependants need.
    let isOne = newest.count <= Self.few
    pipeline.execute(
      FeedWriter.write(
        newest,
        with: isOne ? shown : nil,
        company: company,
        now: now,
        under: workflowRevision
      )
    )
    if !isOne, let shown {
      pipeline.execute(FeedWriter.write(dependants: shown, company: company, now: now))
    }
  }

  /// The last change of each record, because the feed contains only the current state of a record.
  private var newest: [FeedChange] {
    guard feed.count > 1, Set(feed.map(\.recordID)).count < feed.count else { return feed }
    struct Place: Hashable {
      let scope: String
      let record: UUID
    }
    var last: [Place: Int] = [:]
    for (index, change) in feed.enumerated() {
      last[Place(scope: change.scope, record: change.recordID)] = index
    }
    guard last.count < feed.count else { return feed }
    return last.values.sorted().map { feed[$0] }
  }

  private func arm(_ timer: NewTimer, company: UUID) -> SQL {
    """
    insert into core.timer
      (company_id, record_type, record_id, owner_id, entry_no, fire, due_at, repeat_every, remaining)
    values (\(company), \(timer.recordType), \(timer.recordID), \(nullable: timer.owner), \(timer.entryNo),
            \(timer.fire), \(timer.dueAt),
            make_interval(secs => \(nullable: timer.repeatSeconds.map(Double.init))), \(nullable: timer.remaining.map(Int32.init(clamping:))))
    """
  }
}
