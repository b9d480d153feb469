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

  /// - Parameter lanes: that were asked for, in order.
  init(_ rows: [ClaimRow], lanes: [Lane], batch: Int64) {
    busy = Set(lanes)
    jobs.reserveCapacity(rows.count)
    for row in rows {
      guard lanes.indices.contains(row.lane - 1) else { continue }
      let lane = lanes[row.lane - 1]
      busy.remove(lane)
      if row.endsLane { empty.insert(lane) }
      guard let job = row.job else { continue }
      let claim: OpenClaim
      if let last = claims.last, last.lane == lane, last.no == row.no {
        claim = last
      } else {
        claim = OpenClaim(lane: lane, no: row.no, week: row.week, claimedAt: job.claimedAt, batch: batch)
        claims.append(claim)
      }
      jobs.append(
        ClaimedJob(
          id: job.id,
          attempt: job.attempt,
          maxAttempts: job.maxAttempts,
          subject: job.subject,
          round: job.round,
          uniqueKey: job.uniqueKey,
          postedAt: job.postedAt,
          slice: claim,
          position: claim.add(job.id)
        )
      )
    }
  }
}

/// A row that a claim gives: a job, or that a lane is empty.
struct ClaimRow: RowDecodable, Sendable {
  struct Job: Sendable {
    let claimedAt: Timestamp
    let id: UUID
    let round: Int
    let attempt: Int
    let maxAttempts: Int
    let subject: JobSubject
    let uniqueKey: String?
    let postedAt: Timestamp
  }

  /// Which of the lanes, counted from 1.
  let lane: Int
  let no: Int64
  let week: CalendarDate
  let endsLane: Bool
  /// Nil: the lane has nothing to be claimed.
  let job: Job?

  init(row: inout RowReader) throws(PostgresError) {
    lane = try row.next()
    no = try row.next()
    week = try row.next()
    let claimedAt: Timestamp? = try row.next()
    endsLane = try row.next()
    guard let claimedAt else {
      job = nil
      return
    }
    let id: UUID = try row.next()
    let round: Int = try row.next()
    let attempt: Int = try row.next()
    let maxAttempts: Int = try row.next()
    let payload: JSON = try row.next()
    let uniqueKey: String? = try row.next()
    let causeType: String? = try row.next()
    let causeID: UUID? = try row.next()
    let traceID: String? = try row.next()
    let postedAt: Timestamp = try row.next()
    job = Job(
      claimedAt: claimedAt,
      id: id,
      round: round,
      attempt: attempt,
      maxAttempts: maxAttempts,
      subject: JobSubject(payload: payload, causeType: causeType, causeID: causeID, traceID: traceID),
      uniqueKey: uniqueKey,
      postedAt: postedAt
    )
  }
}
