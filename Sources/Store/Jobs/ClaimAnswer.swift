internal import FoundationEssentials
internal import Postgres

/// The answer to a claim from some lanes.
struct ClaimAnswer: Sendable {
  var jobs: [ClaimedJob] = []
  var claims: [OpenClaim] = []
  /// The lanes without further jobs.
  var empty: Set<Lane> = []
  /// The lanes that another worker was claiming from.
  var busy: Set<Lane>
  /// The number of jobs of each claim, including those cancelled before the claim.
  private var sizes: [Int] = []

  /// - Parameters:
  ///   - laneBatches: the batches taken from the lanes.
  ///   - lanes: the lanes requested, in order.
  init(_ laneBatches: [LaneBatch], lanes: [Lane], batch: Int64, lease: Duration) {
    busy = Set(lanes)
    for laneBatch in laneBatches where lanes.indices.contains(laneBatch.place - 1) {
      let lane = lanes[laneBatch.place - 1]
      busy.remove(lane)
      if laneBatch.endsLane { empty.insert(lane) }
      guard let claimedAt = laneBatch.claimedAt else { continue }
      sizes.append(laneBatch.jobs)
      claims.append(
        OpenClaim(
          lane: lane,
          no: laneBatch.no,
          week: laneBatch.week,
          claimedAt: claimedAt,
          batch: batch,
          lease: lease
        )
      )
    }
  }

  /// Adds the jobs of the claims, without those cancelled before the claim.
  ///
  /// - Throws: `PostgresError` if a claim has another number of rows than of jobs. Then no job is added: with
  ///   fewer rows, the acknowledgement would include jobs that nobody has run.
  mutating func add(_ rows: [ClaimedRow]) throws(PostgresError) {
    var counts = [Int](repeating: 0, count: claims.count)
    for row in rows where counts.indices.contains(row.place - 1) { counts[row.place - 1] += 1 }
    guard counts == sizes, rows.count == sizes.reduce(0, +) else {
      throw PostgresError(.decoding, "claims of \(sizes) jobs were read as \(counts)")
    }
    jobs.reserveCapacity(rows.count)
    for row in rows where !row.isCancelled {
      let claim = claims[row.place - 1]
      jobs.append(
        ClaimedJob(
          id: row.id,
          attempt: row.attempt,
          maxAttempts: row.maxAttempts,
          subject: row.subject,
          round: row.round,
          uniqueKey: row.uniqueKey,
          isAlone: row.isAlone,
          readyAt: row.readyAt,
          openClaim: claim,
          position: claim.add(row.id)
        )
      )
    }
  }
}

extension ClaimAnswer {
  /// Adds the answer of another statement about some of the lanes, for which this answer has no batches.
  ///
  /// - Parameter lanes: the lanes that the other statement requested.
  mutating func join(_ other: ClaimAnswer, of lanes: [Lane]) {
    jobs += other.jobs
    claims += other.claims
    empty.formUnion(other.empty)
    busy.subtract(lanes)
    busy.formUnion(other.busy)
  }
}
