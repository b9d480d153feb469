package import FoundationEssentials
package import Postgres

/// Where workers take jobs from and hand them back.
///
/// A claim gives a lease and a fence. Finishing checks the fence in the transaction of the effects, so a worker
/// that lost its lease commits nothing. Times are the database's: a worker's own clock is never asked.
package protocol JobQueue: Sendable {
  /// Takes up to `limit` due jobs of the given kinds; a worker that is not registered is, with this lease.
  func claim(worker: UUID, queues: [String], kinds: [String], limit: Int, lease: Duration) async throws
    -> [ClaimedJob]

  /// Commits the job's effects and its success together.
  ///
  /// - Returns: false, and nothing is written, when the lease was lost.
  func complete(_ job: ClaimedJob, worker: UUID, effects: @escaping @Sendable (Transaction) throws -> Void)
    async throws -> Bool

  /// Records a failed attempt: another one after `retryAfter`, or dead when that is nil.
  func fail(_ job: ClaimedJob, worker: UUID, error: String, retryAfter: Duration?) async throws -> Bool

  /// Hands a job back that was not begun or not finished, without counting the attempt.
  func release(_ jobs: [ClaimedJob], worker: UUID) async throws

  /// Says that the worker lives, and lengthens the leases of what it holds.
  ///
  /// - Returns: the claims that still hold; the others were taken from it.
  func heartbeat(worker: UUID, holding jobs: [ClaimedJob], lease: Duration) async throws
    -> Set<ClaimedJob.Claim>

  /// Frees the jobs whose lease ran out: they run elsewhere, or are dead after their last attempt.
  ///
  /// - Returns: how many were freed.
  func rescue() async throws -> Int
}
