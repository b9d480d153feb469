internal import FoundationEssentials

/// The open claims of one worker.
struct OpenClaims: Sendable {
  private var claims: [ClaimKey: OpenClaim] = [:]
  /// The claims whose jobs are all done, in the order in which they will be acknowledged.
  private var ended: [OpenClaim] = []
  private var lastBatch: Int64 = 0
  /// The batches whose answer has not arrived yet.
  private var underWay: Set<Int64> = []
  /// The batches whose answer was lost, each with the number of heartbeats that will still look for its
  /// claims. The claims may exist in spite of the lost answer.
  private var unanswered: [Int64: Int] = [:]
  /// The number of heartbeats that look for the claims of a lost answer. At the usual interval, they take
  /// longer than a statement may run.
  private static let beatsToPoll = 60

  /// The first batch that may have unacknowledged claims; earlier batches need no check.
  var oldestBatch: Int64 {
    let open = claims.values.map(\.batch).min() ?? lastBatch + 1
    return underWay.reduce(unanswered.keys.reduce(open, min), min)
  }

  /// Returns the number of the next batch, from 1, and expects its answer.
  mutating func nextBatch() -> Int64 {
    lastBatch += 1
    underWay.insert(lastBatch)
    return lastBatch
  }

  /// Records the claims in the answer to a batch.
  mutating func answer(_ batch: Int64, _ opened: [OpenClaim]) {
    underWay.remove(batch)
    for claim in opened {
      claims[claim.key] = claim
      // All jobs of the claim were cancelled before it was made.
      if claim.isIdle { ended.append(claim) }
    }
  }

  /// Records that the answer to a batch was lost: its claims are unknown.
  mutating func loseAnswer(_ batch: Int64) {
    underWay.remove(batch)
    unanswered[batch] = Self.beatsToPoll
  }

  /// Returns the batches whose answer was lost, in ascending order. Each call counts as one heartbeat; after
  /// 60 heartbeats a batch is no longer returned.
  mutating func unansweredBatches() -> [Int64] {
    let batches = unanswered.keys.sorted()
    unanswered = unanswered.mapValues { $0 - 1 }.filter { $0.value > 0 }
    return batches
  }

  /// Records that all jobs of a claim are done, so that it can be acknowledged. Does nothing if the claim is
  /// forgotten or given up.
  mutating func end(_ claim: OpenClaim) {
    guard claims[claim.key] === claim, !claim.isGivenUp else { return }
    ended.append(claim)
  }

  /// Removes and returns up to `limit` claims to acknowledge. Pass a claim to ``end(_:)`` to return it to the
  /// list.
  mutating func takeEnded(_ limit: Int) -> [OpenClaim] {
    let taken = Array(ended.prefix(limit))
    ended.removeFirst(taken.count)
    return taken
  }

  mutating func forget(_ key: ClaimKey) {
    claims[key] = nil
    ended.removeAll { $0.key == key }
  }

  mutating func forget(_ acknowledged: [OpenClaim]) {
    for claim in acknowledged { claims[claim.key] = nil }
  }

  /// Removes and returns all claims of a worker that was declared lost. The caller marks them as lost.
  mutating func forgetAll() -> [OpenClaim] {
    defer {
      claims = [:]
      ended = []
    }
    return Array(claims.values)
  }

  /// Returns the claims with these keys; unknown keys are skipped.
  func find(_ keys: [ClaimKey]) -> [OpenClaim] { keys.compactMap { claims[$0] } }

  /// All open claims, in no particular order.
  var all: [OpenClaim] { Array(claims.values) }
}
