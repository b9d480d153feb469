package import FoundationEssentials
package import Postgres

/// A job that a worker holds as part of a claim, with what it is about.
///
/// A class, since it is handed on from the claim through the buffer to its slot and handler: as a value it
/// would be copied, with all that it refers to, at each step.
package final class ClaimedJob: Sendable {
  package let id: UUID
  /// Which attempt this is, counted from 1.
  package let attempt: Int
  package let maxAttempts: Int
  package let subject: JobSubject
  /// Which queued row of the job it is.
  package let round: Int
  /// The key that it holds until it has ended.
  package let uniqueKey: String?
  /// Whether a worker has died that had it, so that its beginning is to be written down.
  package let isAlone: Bool
  /// Since when it was ready, by the database's clock.
  package let readyAt: Timestamp
  /// The claim that it is part of.
  let openClaim: OpenClaim
  /// Where it stands in its claim.
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
  /// The number of its claim in its lane: whoever holds an older one has lost the job and cannot finish it.
  package var fence: Int64 { openClaim.no }
  /// When the claim was made, by the database's clock.
  package var claimedAt: Timestamp { openClaim.claimedAt }
  /// Whether its worker was declared lost, so that it runs elsewhere.
  package var isLost: Bool { openClaim.isLost }
  /// How long its worker has had it, by the worker's clock.
  package var heldFor: Duration { openClaim.age }
  /// How long its worker has had it at a given time, by the worker's clock.
  package func heldFor(at now: ContinuousClock.Instant) -> Duration { openClaim.age(at: now) }
  /// How long it has waited since it was ready.
  package var waited: Duration {
    max(.zero, .microseconds(claimedAt.microseconds - readyAt.microseconds)) + heldFor
  }
  /// The lane it was enqueued in.
  package var lane: UUID { openClaim.lane.id }

  /// One holding of one job: the same job claimed again is another.
  package struct Claim: Hashable, Sendable {
    package let id: UUID
    package let lane: UUID
    package let fence: Int64
  }

  /// What tells this holding from an earlier or later one.
  package var claim: Claim { Claim(id: id, lane: lane, fence: fence) }

  /// Whose turn it is among jobs.
  var place: RoundRobin<ClaimedJob>.Place { .init(priority: priority, queue: queue, company: company) }
}

/// What a job is about and where it comes from.
package struct JobSubject: Sendable {
  package let payload: JSON
  package let causeType: String?
  package let causeID: UUID?
  package let traceID: String?
}
