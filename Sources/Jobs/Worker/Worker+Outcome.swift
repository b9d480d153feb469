internal import CoreMetrics
internal import Logging
internal import Postgres
internal import Store

extension Worker {
  /// Writes a failed attempt, or the snooze that the job requested.
  ///
  /// - Parameter error: decides whether the job is retried, snoozed or dead; see ``JobFailure``.
  func fail(_ job: ClaimedJob, _ error: any Error) async {
    if case JobFailure.snooze(let time, let why) = error {
      await record(job, .snoozed) {
        try await self.queue.snooze(job, worker: self.id, for: time, why: why)
      }
      return
    }
    let verdict = FailureVerdict(error, attempt: job.attempt, of: job.maxAttempts)
    logger.warning(
      "failed",
      metadata: job.logMetadata.merging(
        ["error": "\(verdict.reason)", "dead": "\(verdict.retryAfter == nil)"]
      ) { $1 }
    )
    await record(job, verdict.retryAfter == nil ? .dead : .failed) {
      try await self.queue.fail(job, worker: self.id, error: verdict.reason, retryAfter: verdict.retryAfter)
    }
  }

  /// Writes the cancellation of a job.
  func cancel(_ job: ClaimedJob) async {
    log(job, "cancelled")
    await record(job, .cancelled) { try await self.queue.cancel(job, worker: self.id) }
  }

  /// Writes an outcome. If the write fails, the job's claim is given up: a heartbeat returns its jobs to the
  /// queue, and the attempt counts only if the job was claimed alone.
  ///
  /// - Parameter write: returns false if the lease was lost.
  private func record(
    _ job: ClaimedJob,
    _ outcome: JobMeters.Outcome,
    _ write: @escaping @Sendable () async throws -> Bool
  ) async {
    do {
      guard try await shielded(write) else {
        return interrupted(job, "the lease was lost; nothing was written")
      }
      ended(job, outcome)
    } catch {
      interrupted(job, "the outcome cannot be written", error)
      queue.abandon(job)
    }
  }

  /// Counts and logs the end of an attempt.
  func ended(_ job: ClaimedJob, _ outcome: JobMeters.Outcome) {
    meters?.of(job).end(outcome)
    guard logger.logLevel <= .debug else { return }
    logger.debug("ended", metadata: job.logMetadata.merging(["outcome": "\(outcome.rawValue)"]) { $1 })
  }

  /// Counts and logs an attempt whose outcome is not written: the lease was lost, or the job was handed back.
  func interrupted(_ job: ClaimedJob, _ why: Logger.Message, _ error: (any Error)? = nil) {
    meters?.of(job).end(.interrupted)
    log(job, why, error)
  }

  /// Logs a warning about a job.
  func log(_ job: ClaimedJob, _ message: Logger.Message, _ error: (any Error)? = nil) {
    var metadata = job.logMetadata
    if let error { metadata["error"] = "\(error)" }
    logger.warning(message, metadata: metadata)
  }
}
