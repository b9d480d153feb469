internal import FoundationEssentials
package import Postgres

/// Opens coming weekly partitions of the queue, drops finished ones, and deletes rows that are no longer
/// needed.
package struct QueueMaintenance: Sendable {
  /// An action of the maintenance, or one that a dry run would take.
  package struct Step: Sendable, Hashable {
    package enum Action: String, Sendable { case open, drop, keep, forget }

    package let action: Action
    /// The Monday of a week, the weeks that were opened or not, or the kind of the deleted rows.
    package let subject: String
    /// The reason for keeping a week, the size of a dropped one, or the number of opened weeks or deleted
    /// rows.
    package let note: String

    package init(action: Action, subject: String, note: String) {
      self.action = action
      self.subject = subject
      self.note = note
    }
  }

  /// The maximum number of rows deleted in one transaction.
  private static let batch: Int32 = 5_000

  /// The time for which queued rows of finished jobs are kept after the end of their week.
  package var finished: Duration = .seconds(28 * 86_400)
  /// The time for which dead and cancelled jobs are kept after their end.
  package var ended: Duration = .seconds(90 * 86_400)

  private let database: Database

  /// - Parameter database: connected as `fettle_worker` or `fettle_admin`.
  package init(_ database: Database) {
    self.database = database
  }

  /// Runs the maintenance that is due. Opening and dropping partitions waits at most 200 ms for a lock.
  ///
  /// - Parameter dryRun: true to change nothing, and only report the weeks to drop or to keep.
  package func run(dryRun: Bool = false) async throws -> [Step] {
    var steps: [Step] = []
    if !dryRun {
      do {
        let opened = try await database.value("select core.keep_job_weeks()", as: Int.self)
        if opened > 0 { steps.append(Step(action: .open, subject: "weeks", note: "\(opened)")) }
      } catch let error as PostgresError where error.sqlState?.rawValue == "55P03" {
        steps.append(Step(action: .keep, subject: "coming weeks", note: "the queue is in use; try later"))
      }
    }
    let weeks = try await database.rows(
      """
      select w.week::text, pg_size_pretty(w.bytes),
        w.week + 7 + make_interval(secs => \(finished.seconds)) < now()
      from core.job_weeks() w
      """,
      String.self,
      String.self,
      Bool.self
    )
    for (week, size, isOld) in weeks where isOld {
      let reason: String?
      if dryRun {
        reason = try await database.value(
          "select core.week_in_use(\(week)::text::date)",
          as: String?.self
        )
      } else {
        reason = try await database.value(
          "select core.drop_job_week(\(week)::text::date, make_interval(secs => \(finished.seconds)))",
          as: String?.self
        )
      }
      steps.append(Step(action: reason == nil ? .drop : .keep, subject: week, note: reason ?? size))
    }
    guard !dryRun else { return steps }
    return try await steps + forget()
  }

  private func forget() async throws -> [Step] {
    var gone: [String: Int] = [:]
    while true {
      let rows = try await database.rows(
        """
        select f.state, f.jobs
        from core.forget_ended_jobs(now() - make_interval(secs => \(ended.seconds)), \(Self.batch)) f
        """,
        String.self,
        Int.self
      )
      guard !rows.isEmpty else { break }
      for (state, jobs) in rows { gone[state, default: 0] += jobs }
    }
    let leftovers: [(subject: String, function: SQL)] = [
      ("cancellations", "core.forget_stops"), ("recorded starts", "core.forget_begun"),
      ("unique keys", "core.forget_keys"), ("idempotency keys", "core.forget_answers"),
      ("rate limits", "core.forget_rates"),
      ("sessions", "core.forget_sessions"),
    ]
    for (subject, function) in leftovers {
      var rows = Int(Self.batch)
      while rows >= Int(Self.batch) {
        rows = try await database.value("select \(function)(\(Self.batch))", as: Int.self)
        if rows > 0 { gone[subject, default: 0] += rows }
      }
    }
    return gone.sorted { $0.key < $1.key }.map {
      Step(action: .forget, subject: $0.key, note: "\($0.value)")
    }
  }
}
