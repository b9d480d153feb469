internal import FoundationEssentials
internal import Postgres

/// What a claim of some lanes gave.
struct ClaimAnswer: Sendable {
  var jobs: [ClaimedJob] = []
  var claims: [OpenClaim] = []
  /// The lanes that have no more jobs.
  var empty: Set<Lane> = []
  /// The lanes that another worker was claiming from.
  var busy: Set<Lane>
  /// How many jobs each claim has.
  private var sizes: [Int] = []

  /// - Parameters:
  ///   - laneBatches: what was taken of the lanes.
  ///   - lanes: that were asked for, in order.
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

  /// Adds the jobs of the claims.
  ///
  /// - Throws: `PostgresError` when they are not as many as were taken, before anything of it is used: to
  ///   take fewer for
  ///   all would acknowledge jobs that nobody has run.
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
  /// Adds what another statement gave of some of the lanes, of which this one says nothing.
  mutating func join(_ other: ClaimAnswer, of lanes: [Lane]) {
    jobs += other.jobs
    claims += other.claims
    empty.formUnion(other.empty)
    busy.subtract(lanes)
    busy.formUnion(other.busy)
  }
}
