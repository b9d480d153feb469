internal import FoundationEssentials

/// The open claims of one worker.
struct OpenClaims: Sendable {
  private var claims: [ClaimKey: OpenClaim] = [:]
  /// Claims whose jobs are all done.
  private var ended: [OpenClaim] = []
  private var lastBatch: Int64 = 0
  /// Batches whose answer may still come.
  private var underWay: Set<Int64> = []
  /// Batches whose answer was lost, with the number of heartbeats that still look for them: they may have
  /// been claimed all the same.
  private var unanswered: [Int64: Int] = [:]
  /// Longer than a statement may run, at the usual interval of heartbeats.
  private static let beatsToPoll = 60

  /// The first batch with claims that may be unacknowledged; earlier ones need not be checked.
  var oldestBatch: Int64 {
    let open = claims.values.map(\.batch).min() ?? lastBatch + 1
    return underWay.reduce(unanswered.keys.reduce(open, min), min)
  }

  /// Returns the number of the next batch, whose answer is then expected.
  mutating func nextBatch() -> Int64 {
    lastBatch += 1
    underWay.insert(lastBatch)
    return lastBatch
  }

  /// Notes the claims of a batch.
  mutating func answer(_ batch: Int64, _ opened: [OpenClaim]) {
    underWay.remove(batch)
    for claim in opened {
      claims[claim.key] = claim
      // All of its jobs were cancelled before.
      if claim.isIdle { ended.append(claim) }
    }
  }

  /// Notes that the answer to a batch was lost, so that its claims are unknown.
  mutating func loseAnswer(_ batch: Int64) {
    underWay.remove(batch)
    unanswered[batch] = Self.beatsToPoll
  }

  /// Returns the batches with unknown claims, if any; each is returned for some heartbeats.
  mutating func unansweredBatches() -> [Int64] {
    let batches = unanswered.keys.sorted()
    unanswered = unanswered.mapValues { $0 - 1 }.filter { $0.value > 0 }
    return batches
  }

  /// Notes that all jobs of a claim are done, so that it can be acknowledged.
  mutating func end(_ claim: OpenClaim) {
    guard claims[claim.key] === claim, !claim.isGivenUp else { return }
    ended.append(claim)
  }

  /// True if a claim can be acknowledged.
  var hasEnded: Bool { !ended.isEmpty }

  /// Takes up to `limit` claims to acknowledge; ``end(_:)`` puts one back.
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

  /// Removes and returns all claims, as after the worker was declared lost; the caller marks them as lost.
  mutating func forgetAll() -> [OpenClaim] {
    defer {
      claims = [:]
      ended = []
    }
    return Array(claims.values)
  }

  /// Returns the claims with these keys.
  func find(_ keys: [ClaimKey]) -> [OpenClaim] { keys.compactMap { claims[$0] } }

  /// All open claims, in no particular order.
  var all: [OpenClaim] { Array(claims.values) }
}
