internal import Domain
internal import FoundationEssentials
internal import Logging
package import Postgres
internal import Secrets
package import Store
internal import Synchronization

/// Runs jobs sequentially in the caller's task, for tests: no loops, no notifications, no time limits.
///
/// Jobs are claimed and their outcomes written as by a ``Worker``, with the same leases, fences and
/// transactions. The lease is 10 minutes, and there are no heartbeats.
package struct InlineWorker: Sendable {
  /// An attempt with its outcome.
  package struct Attempt: Sendable {
    /// The outcome of an attempt.
    package enum Outcome: Sendable, Hashable {
      /// The effects and the success are written, or will be with the acknowledgement of the claim.
      case succeeded
      /// The attempt failed; the job is retried after the given time.
      case failed(String, retryAfter: Duration)
      /// The attempt failed with this reason, and no other will follow.
      case dead(String)
      /// The job runs again after the given time; the attempt does not count.
      case snoozed(Duration, String?)
      /// The lease was lost during the attempt; nothing was written.
      case lost
    }

    /// The job as it was claimed for this attempt.
    package let job: ClaimedJob
    /// The outcome that was written.
    package let outcome: Outcome
    /// The notes and progress reports of the attempt, in order and without limits.
    package let notes: [JobNote]
  }

  /// More jobs ran than the limit of a drain, usually because jobs enqueue each other endlessly.
  package struct TooMany: Error, CustomStringConvertible {
    /// The maximum number of attempts that was given.
    package let limit: Int
    /// The kinds of the last 100 attempts, in alphabetical order.
    package let kinds: [String]

    /// The message in a test's output.
    package var description: String {
      "more than \(limit) jobs ran, the last of kinds \(kinds.joined(separator: ", ")); do they enqueue each other?"
    }
  }

  private let database: Database
  private let handlers: HandlerTable
  private let id = UUIDv7Generator.shared.next()

  /// Creates a worker with an id of its own, which is registered during a drain only.
  ///
  /// - Parameters:
  ///   - database: connected as `fettle_worker`.
  ///   - handlers: only jobs of their kinds are claimed.
  package init(_ database: Database, handlers: HandlerTable) {
    self.database = database
    self.handlers = handlers
  }

  /// Runs all ready jobs of the given queues, and the jobs that they enqueue, until none is left. Jobs
  /// scheduled for later remain.
  ///
  /// - Parameters:
  ///   - queues: the names of the queues.
  ///   - limit: maximum number of attempts; checked after each claim of up to 100 jobs.
  /// - Returns: the attempts in the order in which they ran: within a claim by priority, then by the time at
  ///   which the jobs became ready.
  /// - Throws: ``TooMany`` after more than `limit` attempts, `PostgresError`, or `CancellationError`. An
  ///   error of a handler is not thrown: it becomes the outcome of its attempt.
  package func drain(queues: [String], limit: Int) async throws -> [Attempt] {
    let queue = JobQueue(database)
    let lease: Duration = .seconds(600)
    try await WorkerRegister.add(id, queues: queues, lease: lease, database)
    do {
      var attempts: [Attempt] = []
      while true {
        try await queue.poll(queues: Set(queues), kinds: Set(handlers.kinds))
        let taken = try await queue.take(worker: id, queues: queues, limit: 100, lease: lease)
        if taken.jobs.isEmpty, !taken.hasMore, !queue.hasLanes { break }
        // Another worker is claiming from these lanes: retry shortly.
        if taken.isBusy { try await Task.sleep(for: .milliseconds(3)) }
        for job in taken.jobs.sorted(by: { ($0.priority, $0.readyAt) < ($1.priority, $1.readyAt) }) {
          attempts.append(try await run(job, queue))
        }
        try await queue.acknowledge(worker: id)
        guard attempts.count <= limit else {
          throw TooMany(limit: limit, kinds: Set(attempts.suffix(100).map(\.job.kind)).sorted())
        }
      }
      await WorkerRegister.remove(id, database)
      return attempts
    } catch {
      await WorkerRegister.remove(id, database)
      throw error
    }
  }

  /// Runs one attempt and writes its outcome.
  private func run(_ job: ClaimedJob, _ queue: JobQueue) async throws -> Attempt {
    let ear = Ear()
    let context = JobContext(
      job: job,
      database: database,
      log: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() },
      listener: ear
    )
    let result: Result<JobEffects, any Error>
    do {
      guard let handler = handlers[job.kind] else {
        throw JobFailure.permanent("no handler for kind \(job.kind)")
      }
      result = .success(try await handler.run(job.subject, context))
    } catch {
      result = .failure(error)
    }
    // Before the outcome, which ends the claim.
    try await queue.write([(job, ear.notes)], company: job.company, worker: id)
    let outcome: Attempt.Outcome
    do {
      outcome = try await succeed(job, result.get(), queue)
    } catch JobFailure.snooze(let time, let why) {
      let isHeld = try await queue.snooze(job, worker: id, for: time, why: why)
      outcome = isHeld ? .snoozed(time, why) : .lost
    } catch {
      let verdict = FailureVerdict(error, attempt: job.attempt, of: job.maxAttempts)
      let isHeld = try await queue.fail(
        job,
        worker: id,
        error: verdict.reason,
        retryAfter: verdict.retryAfter
      )
      let failed: Attempt.Outcome =
        verdict.retryAfter.map { .failed(verdict.reason, retryAfter: $0) } ?? .dead(verdict.reason)
      outcome = isHeld ? failed : .lost
    }
    return Attempt(job: job, outcome: outcome, notes: ear.notes)
  }

  /// Writes a success. Without effects and without a unique key, it is written with the acknowledgement of
  /// the claim.
  private func succeed(_ job: ClaimedJob, _ effects: JobEffects, _ queue: JobQueue) async throws
    -> Attempt.Outcome
  {
    guard effects.isSomething || job.uniqueKey != nil else {
      _ = queue.finish(job, worker: id)
      return .succeeded
    }
    return try await queue.complete(job, worker: id, effects: effects.apply) ? .succeeded : .lost
  }

  /// Collects the notes of one attempt.
  private final class Ear: JobListener {
    private let told = Mutex<[JobNote]>([])

    var notes: [JobNote] { told.withLock { $0 } }

    func receive(_ claim: ClaimedJob.Claim, done: Double?, text: String?) {
      told.withLock { $0.append(JobNote(done: done, text: text, age: .zero)) }
    }
  }
}
