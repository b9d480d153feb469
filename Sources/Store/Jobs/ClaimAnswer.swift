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
  init(_ rows: [ClaimRow], lanes: [Lane], batch: Int64, lease: Duration) {
    busy = Set(lanes)
    jobs.reserveCapacity(rows.count)
    var place = 0
    var open: (place: Int, claim: OpenClaim)?
    for row in rows {
      guard lanes.indices.contains(row.lane - 1) else { continue }
      // Rows of a lane come together: what is told of the lane is looked at once.
      if row.lane != place {
        place = row.lane
        busy.remove(lanes[place - 1])
        if row.endsLane { empty.insert(lanes[place - 1]) }
      }
      guard let claimedAt = row.claimedAt else { continue }
      // A claim alone comes after the jobs of all, and says nothing new of one that has some.
      guard row.job != nil || !claims.contains(where: { $0.no == row.no && $0.lane == lanes[place - 1] })
      else {
        continue
      }
      let claim: OpenClaim
      if let open, open.place == place, open.claim.no == row.no {
        claim = open.claim
      } else {
        claim = OpenClaim(
          lane: lanes[place - 1],
          no: row.no,
          week: row.week,
          claimedAt: claimedAt,
          batch: batch,
          lease: lease
        )
        claims.append(claim)
        open = (place, claim)
      }
      guard let job = row.job else { continue }
      jobs.append(
        ClaimedJob(
          id: job.id,
          attempt: job.attempt,
          maxAttempts: job.maxAttempts,
          subject: job.subject,
          round: job.round,
          uniqueKey: job.uniqueKey,
          isAlone: job.isAlone,
          postedAt: job.postedAt,
          slice: claim,
          position: claim.add(job.id)
        )
      )
    }
  }
}

/// A row that a claim gives: a job, a claim alone, or that a lane is empty.
struct ClaimRow: RowDecodable, Sendable {
  struct Job: Sendable {
    let id: UUID
    let round: Int
    let attempt: Int
    let maxAttempts: Int
    let subject: JobSubject
    let uniqueKey: String?
    let isAlone: Bool
    let postedAt: Timestamp
  }

  /// Which of the lanes, counted from 1.
  let lane: Int
  let no: Int64
  let week: CalendarDate
  let endsLane: Bool
  /// Nil: the lane has nothing to be claimed.
  let claimedAt: Timestamp?
  /// Nil also where a job was cancelled before it was claimed.
  let job: Job?

  init(row: inout RowReader) throws(PostgresError) {
    lane = try row.next()
    no = try row.next()
    week = try row.next()
    claimedAt = try row.next()
    endsLane = try row.next()
    let jobID: UUID? = try row.next()
    guard let id = jobID else {
      job = nil
      return
    }
    let round: Int = try row.next()
    let attempt: Int = try row.next()
    let maxAttempts: Int = try row.next()
    let payload: JSON = try row.next()
    let uniqueKey: String? = try row.next()
    let causeType: String? = try row.next()
    let causeID: UUID? = try row.next()
    let traceID: String? = try row.next()
    let isAlone: Bool = try row.next()
    let postedAt: Timestamp = try row.next()
    job = Job(
      id: id,
      round: round,
      attempt: attempt,
      maxAttempts: maxAttempts,
      subject: JobSubject(payload: payload, causeType: causeType, causeID: causeID, traceID: traceID),
      uniqueKey: uniqueKey,
      isAlone: isAlone,
      postedAt: postedAt
    )
  }
}
