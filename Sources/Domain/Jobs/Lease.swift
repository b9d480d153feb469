package import FoundationEssentials

/// A worker's hold on a job, which ends by itself when the worker no longer renews it.
///
/// Time is the database's. The fence grows with every claim, so that a worker that was taken for dead and wakes
/// up again can be told from the one that took over.
package struct Lease: Sendable, Hashable, Codable {
  /// Who holds it.
  package let worker: UUID
  /// The number of the claim.
  package let fence: Int64
  /// When it ends.
  package let until: Instant

  /// Ten seconds: a worker that died is replaced within that.
  package static let length: Int64 = 10_000_000

  /// Puts a lease together.
  package init(worker: UUID, fence: Int64, until: Instant) {
    self.worker = worker
    self.fence = fence
    self.until = until
  }

  /// A claim on a job whose last fence is given; nil while somebody else's lease runs.
  package static func claim(
    by worker: UUID,
    lastFence: Int64,
    held: Lease?,
    at now: Instant,
    for length: Int64 = Lease.length
  ) -> Lease? {
    if let held, !held.isExpired(at: now) { return nil }
    return now.advanced(byMicroseconds: length).map {
      Lease(worker: worker, fence: max(lastFence, held?.fence ?? 0) + 1, until: $0)
    }
  }

  /// Whether somebody else may take over; the moment it ends is no longer part of it.
  package func isExpired(at now: Instant) -> Bool { now >= until }

  /// When the worker should renew it: after a third of its length, so that two renewals may be lost.
  package func renewal(length: Int64 = Lease.length) -> Instant {
    until.advanced(byMicroseconds: -(length - length / 3)) ?? until
  }

  /// The same claim for longer; never for shorter, and never after it has ended.
  package func renewed(at now: Instant, for length: Int64 = Lease.length) throws(DomainError) -> Lease {
    guard !isExpired(at: now) else { throw DomainError(.leaseLost) }
    return Lease(
      worker: worker,
      fence: fence,
      until: max(until, now.advanced(byMicroseconds: length) ?? until)
    )
  }

  /// Checks, in the transaction that writes an effect, that the job is still this claim's.
  ///
  /// An expired lease that nobody took over still counts: the work is done, and giving it up would do it twice.
  package func requireCurrent(fence current: Int64) throws(DomainError) {
    guard fence == current else {
      throw DomainError(
        .leaseLost,
        "The job was claimed again: fence \(current), not \(fence)",
        details: ["fence": .integer(current)]
      )
    }
  }
}
