internal import FoundationEssentials
internal import Postgres

/// What one worker has claimed and not settled.
struct OpenClaims: Sendable {
  struct Slice: Sendable {
    let batch: Int64
    let week: CalendarDate
    /// The jobs whose outcome is not committed.
    var jobs: Set<UUID>
    /// At how many heartbeats in a row nobody was at any of its jobs.
    var idleBeats = 0
  }

  private var slices: [ClaimKey: Slice] = [:]
  private var lastBatch: Int64 = 0
  /// Batches whose answer never came, by how many heartbeats are left in which they are looked for: they may be
  /// claimed all the same.
  private var unanswered: [Int64: Int] = [:]
  /// Longer than a statement may run at the usual pace of heartbeats.
  private static let beatsToLook = 60

  /// The first batch that may not be settled; earlier ones need not be looked at by anybody.
  var oldestBatch: Int64 {
    let open = slices.values.map(\.batch).min() ?? lastBatch + 1
    return unanswered.keys.reduce(open, min)
  }

  /// The number of the next batch.
  mutating func nextBatch() -> Int64 {
    lastBatch += 1
    return lastBatch
  }

  mutating func add(_ jobs: [ClaimedJob], batch: Int64) {
    for job in jobs {
      slices[job.slice, default: Slice(batch: batch, week: job.week, jobs: [])].jobs.insert(job.id)
    }
  }

  /// Notes that the answer to a claim was lost, and with it whether anything was claimed.
  mutating func loseAnswer(_ batch: Int64) { unanswered[batch] = Self.beatsToLook }

  /// The batches whose claims, if there are any, nobody knows of; each is named for some heartbeats.
  mutating func unansweredBatches() -> [Int64] {
    let batches = unanswered.keys.sorted()
    unanswered = unanswered.mapValues { $0 - 1 }.filter { $0.value > 0 }
    return batches
  }

  /// Whether nothing else of the claim is left, so that the outcome of this job settles it.
  func isLast(_ job: ClaimedJob) -> Bool { slices[job.slice]?.jobs == [job.id] }

  /// Notes that a job's outcome is committed.
  ///
  /// - Returns: whether that was the last of its claim, which is still to be settled if `settled` is false.
  mutating func finish(_ job: ClaimedJob, settled: Bool) -> Bool {
    guard slices[job.slice]?.jobs.remove(job.id) != nil else { return false }
    guard slices[job.slice]?.jobs.isEmpty == true else { return false }
    if settled { slices[job.slice] = nil }
    return !settled
  }

  mutating func forget(_ key: ClaimKey) { slices[key] = nil }

  /// Claims whose jobs all have a committed outcome, but which are not settled: somebody failed to.
  var unsettled: [ClaimKey] { slices.filter { $0.value.jobs.isEmpty }.map(\.key) }

  func week(of key: ClaimKey) -> CalendarDate? { slices[key]?.week }

  /// Claims that nobody is at any more though they have jobs: their outcome could not be written down.
  ///
  /// - Parameter held: the jobs that somebody is at.
  mutating func abandoned(except held: Set<ClaimedJob.Claim>) -> [ClaimKey] {
    for (key, slice) in slices {
      let isHeld = slice.jobs.contains { held.contains(.init(id: $0, lane: key.lane, fence: key.no)) }
      slices[key]?.idleBeats = isHeld || slice.jobs.isEmpty ? 0 : slice.idleBeats + 1
    }
    return slices.filter { $0.value.idleBeats >= 3 }.map(\.key)
  }
}
