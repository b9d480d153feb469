package import FoundationEssentials
package import Postgres

/// A job that a worker holds as part of a claim, with its subject.
///
/// A class, because the job passes from the claim through the buffer to its slot and handler. A value would
/// be copied, with everything that it refers to, at each step.
package final class ClaimedJob: Sendable {
  package let id: UUID
  /// The number of this attempt, from 1.
  package let attempt: Int
  package let maxAttempts: Int
  package let subject: JobSubject
  /// The number of the job's queued row, from 1; each time the job is enqueued again, it increases.
  package let round: Int
  /// The unique key that the job holds at least until it has ended; nil if it has none.
  package let uniqueKey: String?
  /// True if an earlier claim of the job was lost, so that the job is claimed alone and its start is
  /// recorded.
  package let isAlone: Bool
  /// The time at which the job became ready, by the database's clock.
  package let readyAt: Instant
  /// The claim that the job is part of.
  let openClaim: OpenClaim
  /// The position of the job in its claim, from 0.
  let position: Int

  init(
    id: UUID,
    attempt: Int,
    maxAttempts: Int,
    subject: JobSubject,
    round: Int,
    uniqueKey: String?,
    isAlone: Bool,
    readyAt: Instant,
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
  /// The number of the claim in its lane. The holder of an older claim has lost the job and cannot finish it.
  package var fence: Int64 { openClaim.no }
  /// The time of the claim, by the database's clock.
  package var claimedAt: Instant { openClaim.claimedAt }
  /// True if the claim was lost, so that the job may run elsewhere.
  package var isLost: Bool { openClaim.isLost }
  /// The time for which its worker has held the job, by the worker's clock.
  package var heldFor: Duration { openClaim.age }
  /// Returns the time for which its worker has held the job at a given time, by the worker's clock.
  package func heldFor(at now: ContinuousClock.Instant) -> Duration { openClaim.age(at: now) }
  /// The time since the job became ready, including the time for which its worker has held it.
  package var waited: Duration {
    max(.zero, .microseconds(claimedAt.microseconds - readyAt.microseconds)) + heldFor
  }
  /// The id of the lane that the job was enqueued in.
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

/// The payload, the cause and the trace id of a job.
package struct JobSubject: Sendable {
  package let payload: JSON
  package let causeType: String?
  package let causeID: UUID?
  package let traceID: String?
}
