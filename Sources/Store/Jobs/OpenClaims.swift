internal import FoundationEssentials

/// The open claims of one worker.
struct OpenClaims: Sendable {
  private var claims: [ClaimKey: OpenClaim] = [:]
  /// All their jobs are done.
  private var ended: [OpenClaim] = []
  private var lastBatch: Int64 = 0
  /// Batches whose answer may still come.
  private var underWay: Set<Int64> = []
  /// Batches whose answer never came, by how many heartbeats are left in which they are looked for: they may
  /// be claimed all the same.
  private var unanswered: [Int64: Int] = [:]
  /// Longer than a statement may run at the usual pace of heartbeats.
  private static let beatsToPoll = 60

  /// The first batch that may not be acknowledged; earlier ones need not be checked.
  var oldestBatch: Int64 {
    let open = claims.values.map(\.batch).min() ?? lastBatch + 1
    return underWay.reduce(unanswered.keys.reduce(open, min), min)
  }

  /// The number of the next batch, whose answer is still to come.
  mutating func nextBatch() -> Int64 {
    lastBatch += 1
    underWay.insert(lastBatch)
    return lastBatch
  }

  /// Notes what a batch claimed.
  mutating func answer(_ batch: Int64, _ opened: [OpenClaim]) {
    underWay.remove(batch)
    for claim in opened {
      claims[claim.key] = claim
      // Its jobs were all cancelled before.
      if claim.isIdle { ended.append(claim) }
    }
  }

  /// Notes that the answer to a batch was lost, and with it whether anything was claimed.
  mutating func loseAnswer(_ batch: Int64) {
    underWay.remove(batch)
    unanswered[batch] = Self.beatsToPoll
  }

  /// The batches whose claims, if there are any, nobody knows of; each is named for some heartbeats.
  mutating func unansweredBatches() -> [Int64] {
    let batches = unanswered.keys.sorted()
    unanswered = unanswered.mapValues { $0 - 1 }.filter { $0.value > 0 }
    return batches
  }

  /// Notes that all jobs of a claim are done, and that it is not acknowledged.
  mutating func end(_ claim: OpenClaim) {
    guard claims[claim.key] === claim, !claim.isGivenUp else { return }
    ended.append(claim)
  }

  /// Whether there is a claim to be acknowledged.
  var hasEnded: Bool { !ended.isEmpty }

  /// Takes the claims that are to be acknowledged, up to so many; ``end(_:)`` puts one back.
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

  /// Everything, as after the worker was declared lost; the caller loses it.
  mutating func forgetAll() -> [OpenClaim] {
    defer {
      claims = [:]
      ended = []
    }
    return Array(claims.values)
  }

  /// The claims with these keys.
  func find(_ keys: [ClaimKey]) -> [OpenClaim] { keys.compactMap { claims[$0] } }

  /// All that are open, in no order.
  var all: [OpenClaim] { Array(claims.values) }
}
