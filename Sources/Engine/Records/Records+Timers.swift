internal import Domain
internal import FoundationEssentials
internal import Postgres
package import Store

/// A due timer and the result of firing it.
package struct FiredTimer: Sendable {
  /// The result of firing a timer.
  package enum Outcome: Sendable, Hashable {
    /// The transition was applied.
    case fired
    /// The record has left the status or was deleted. Nothing happened, and the timer is removed.
    case void
    /// The transition was refused with this code. A repeating timer fires again at its next time; another one
    /// is removed.
    case refused(String)
    /// The company is not active, so its timers are suspended.
    case held
    /// The attempt failed for this reason and is repeated after a delay.
    case failed(String)
  }

  package let timer: DueTimer
  package let outcome: Outcome
}

extension Records {
  /// Fires the timer that has been due longest and that no other process is firing.
  ///
  /// The claim, the transition and the timer's removal or next time are one transaction. If the process ends,
  /// the timer has either fired or is still due.
  ///
  /// - Returns: the timer and its outcome; nil if no timer is due.
  package func fireNextTimer() async throws -> FiredTimer? {
    var options = TransactionOptions(statementTimeout: .seconds(10), lockTimeout: .seconds(5))
    options.retries = 5
    let fired = try await services.database.transaction(options) { tx -> FiredTimer? in
      guard let timer = try TimerStore.claim(tx) else { return nil }
      try tx.enter(timer.company, user: timer.owner)
      do {
        return FiredTimer(timer: timer, outcome: try fire(timer, tx))
      } catch let error as PostgresError where error.isTransient || error.kind == .cancelled {
        throw error
      } catch {
        try tx.rollback()
        return FiredTimer(timer: timer, outcome: .failed("\(error)"))
      }
    }
    if let fired, case .failed = fired.outcome {
      try await services.database.transaction(.inside(fired.timer.company)) { tx in
        try TimerStore.postpone(fired.timer, tx)
      }
    }
    return fired
  }

  private func fire(_ timer: DueTimer, _ tx: Transaction) throws -> FiredTimer.Outcome {
    let acting = try ActingContext.system("timer", company: timer.company, owner: timer.owner, tx)
    guard acting.company.status.permits(.runJobs) else {
      try CompanyAppStore.holdTimedWork(company: timer.company, tx)
      return .held
    }
    let type = try catalogue.type(timer.recordType)
    let outcome = try perform(in: tx, acting) { work -> FiredTimer.Outcome in
      let (_, tickets) = try work.read { pipeline in
        (
          lock: pipeline.rows(type.lock(company: timer.company, id: timer.recordID), as: LockedRow.self),
          entry: pipeline.rows(TimerStore.newestEntry(timer), Int64.self)
        )
      }
      guard let locked = try tickets.lock.first, !locked.isDeleted,
        try tickets.entry.first == timer.entryNo
      else { return .void }
      do {
        let request = TransitionRequest(timer.fire)
        // A later follow-up may be refused. The savepoint then undoes the rows written before.
        try tx.savepoint { _ in
          _ = try transition(acting, type: type.name, id: timer.recordID, request: request, in: &work)
        }
        return .fired
      } catch let refusal as DomainError
        where refusal.category != .unavailable && refusal.category != .internal
      {
        work.changes = Changes()
        return .refused(refusal.code.rawValue)
      }
    }
    switch outcome {
    case .fired: try TimerStore.advance(timer, counts: true, tx)
    case .refused: try TimerStore.advance(timer, counts: false, tx)
    case .void, .held, .failed: try TimerStore.remove(timer, tx)
    }
    return outcome
  }
}
