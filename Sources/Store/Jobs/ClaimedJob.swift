package import FoundationEssentials
package import Postgres

/// A job that a worker holds as part of a claim, with its subject.
///
/// A class, since it is passed from the claim through the buffer to its slot and handler. A value would be
/// copied, with everything it refers to, at each step.
package final class ClaimedJob: Sendable {
  package let id: UUID
  /// The number of this attempt, from 1.
  package let attempt: Int
  package let maxAttempts: Int
  package let subject: JobSubject
  /// The number of the job's queued row.
  package let round: Int
  /// The unique key that it holds until it has ended.
  package let uniqueKey: String?
  /// True if a worker died while it held the job, so that the job's start has to be recorded.
  package let isAlone: Bool
  /// The time at which it became ready, by the database's clock.
  package let readyAt: Timestamp
  /// The claim that it is part of.
  let openClaim: OpenClaim
  /// The position in its claim.
  let position: Int

  init(
    id: UUID,
    attempt: Int,
    maxAttempts: Int,
    subject: JobSubject,
    round: Int,
    uniqueKey: String?,
    isAlone: Bool,
    readyAt: Timestamp,
    openClaim: OpenClaim,
    position: Int
  ) {
    self.id = id
    self.attempt = attempt
    self.maxAttempts = maxAttempts
    self.subject = subject
    self.round = round
    self.uniqueKey = uniqueKey
    self.openClaim = openClaim
    self.position = position
    self.isAlone = isAlone
    self.readyAt = readyAt
  }

  package var company: UUID { openClaim.lane.company }
  package var kind: String { openClaim.lane.kind }
  package var queue: String { openClaim.lane.queue }
  package var priority: Int { openClaim.lane.priority }
  /// The number of its claim in its lane. The holder of an older number has lost the job and cannot finish
  /// it.
  package var fence: Int64 { openClaim.no }
  /// The time of the claim, by the database's clock.
  package var claimedAt: Timestamp { openClaim.claimedAt }
  /// True if its worker was declared lost, so that the job runs elsewhere.
  package var isLost: Bool { openClaim.isLost }
  /// The time for which its worker has held it, by the worker's clock.
  package var heldFor: Duration { openClaim.age }
  /// The time for which its worker has held it at a given time, by the worker's clock.
  package func heldFor(at now: ContinuousClock.Instant) -> Duration { openClaim.age(at: now) }
  /// The time for which it has waited since it was ready.
  package var waited: Duration {
    max(.zero, .microseconds(claimedAt.microseconds - readyAt.microseconds)) + heldFor
  }
  /// The lane that it was enqueued in.
  package var lane: UUID { openClaim.lane.id }

  /// One claim of one job; a later claim of the same job is a different value.
  package struct Claim: Hashable, Sendable {
    package let id: UUID
    package let lane: UUID
    package let fence: Int64
  }

  /// Distinguishes this claim of the job from an earlier or later one.
  package var claim: Claim { Claim(id: id, lane: lane, fence: fence) }

  /// The place in the round-robin order of jobs.
  var place: RoundRobin<ClaimedJob>.Place { .init(priority: priority, queue: queue, company: company) }
}

/// The payload and the cause of a job.
package struct JobSubject: Sendable {
  package let payload: JSON
  package let causeType: String?
  package let causeID: UUID?
  package let traceID: String?
}
