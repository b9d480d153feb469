internal import Domain
package import FoundationEssentials
package import Postgres

/// A due timer, locked by the transaction that fires it.
package struct DueTimer: RowDecodable, Sendable {
  package let company: UUID
  package let recordType: String
  package let recordID: UUID
  /// The history sequence number of the change that entered the status and armed the timer.
  package let entryNo: Int64
  /// The transition to apply.
  package let fire: String
  /// The owner of a private record; nil if the record belongs to the company.
  package let owner: UUID?
  /// The number of failed attempts to fire the timer.
  package let failures: Int

  package init(row: inout RowReader) throws(PostgresError) {
    company = try row.next()
    recordType = try row.next()
    recordID = try row.next()
    entryNo = try row.next()
    fire = try row.next()
    owner = try row.next()
    failures = Int(try row.next() as Int32)
  }
}

/// The timers of all companies: control rows that hold ids only.
///
/// Only the database's clock decides whether a timer is due, never a worker's.
package enum TimerStore {
  /// Locks and returns the timer that has been due longest and that no other worker holds; nil if there is
  /// none.
  package static func claim(_ tx: Transaction) throws -> DueTimer? {
    try tx.first(
      """
      select t.company_id, t.record_type, t.record_id, t.entry_no, t.fire, t.owner_id, t.failures
      from core.timer t
      where t.due_at <= now() and not t.held
      order by t.due_at
      limit 1
      for update skip locked
      """,
      as: DueTimer.self
    )
  }

  /// Returns the query for the history sequence number of the change by which a record entered its current
  /// status.
  ///
  /// A reminder (a system transition from a status to itself without changes) does not enter a status. The
  /// empty digest of its changes identifies a reminder, even after an erasure.
  package static func newestEntry(_ timer: DueTimer) -> SQL {
    """
    select h.seq from core.history h
    where h.company_id = \(timer.company) and h.record_type = \(timer.recordType) and h.record_id = \(timer.recordID)
      and h.to_status is not null
      and not (h.kind = 'transition' and h.actor_kind = 'system' and h.from_status = h.to_status
               and h.changes_digest = '')
    order by h.seq desc
    limit 1
    """
  }

  /// Deletes a timer that will not fire again.
  package static func remove(_ timer: DueTimer, _ tx: Transaction) throws {
    try tx.execute("delete from core.timer t where t.company_id = \(timer.company) and \(this(timer))")
  }

  /// Sets a repeating timer to its next future time. Deletes a timer that does not repeat, or whose last
  /// repetition this was.
  ///
  /// - Parameter counts: false if the transition was refused, which does not use up a repetition.
  package static func advance(_ timer: DueTimer, counts: Bool, _ tx: Transaction) throws {
    try tx.pipeline { pipeline in
      pipeline.execute(
        """
        delete from core.timer t
        where t.company_id = \(timer.company) and \(this(timer)) and (t.repeat_every is null or \(counts) and t.remaining <= 1)
        """
      )
      pipeline.execute(
        """
        update core.timer t
        set due_at = t.due_at + t.repeat_every
              * (floor(extract(epoch from now() - t.due_at) / extract(epoch from t.repeat_every)) + 1)::float8,
            remaining = t.remaining - case when \(counts) then 1 else 0 end,
            failures = 0
        where t.company_id = \(timer.company) and \(this(timer))
        """
      )
    }
  }

  /// Postpones a timer that could not be fired. The delay grows with each failure, up to an hour.
  package static func postpone(_ timer: DueTimer, _ tx: Transaction) throws {
    let delay = RetryPolicy.timers.delay(afterAttempt: timer.failures + 1)
    try tx.execute(
      """
      update core.timer t
      set failures = t.failures + 1,
          due_at = now() + make_interval(secs => \(delay.seconds))
      where t.company_id = \(timer.company) and \(this(timer)) and t.due_at <= now()
      """
    )
  }

  private static func this(_ timer: DueTimer) -> SQL {
    """
    t.record_type = \(timer.recordType) and t.record_id = \(timer.recordID) and t.entry_no = \(timer.entryNo) and t.fire = \(timer.fire)
    """
  }
}

extension Transaction {
  /// Enters a company in a transaction, with the settings of a unit of work, after a claim has returned the
  /// company.
  ///
  /// - Parameter user: the owner of the private records concerned; nil for none.
  package func enter(_ company: UUID, user: UUID? = nil) throws {
    try execute(
      """
      select set_config('fettle.company_id', \(company.uuidString.lowercased()), true),
        set_config('fettle.user_id', \(user?.uuidString.lowercased() ?? ""), true),
        set_config('fettle.write', 'engine', true)
      """
    )
  }
}
