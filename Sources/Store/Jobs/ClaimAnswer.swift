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
  ///   - cuts: what was cut of the lanes.
  ///   - lanes: that were asked for, in order.
  init(_ cuts: [LaneCut], lanes: [Lane], batch: Int64, lease: Duration) {
    busy = Set(lanes)
    for cut in cuts where lanes.indices.contains(cut.place - 1) {
      let lane = lanes[cut.place - 1]
      busy.remove(lane)
      if cut.endsLane { empty.insert(lane) }
      guard let claimedAt = cut.claimedAt else { continue }
      sizes.append(cut.jobs)
      claims.append(
        OpenClaim(lane: lane, no: cut.no, week: cut.week, claimedAt: claimedAt, batch: batch, lease: lease)
      )
    }
  }

  /// Adds the jobs of the claims.
  ///
  /// - Throws: `PostgresError` when they are not as many as were cut, before anything of it is used: to take fewer for
  ///   all would settle jobs that nobody has run.
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
          postedAt: row.postedAt,
          slice: claim,
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

/// What a claim says of a lane: what was cut of it, or that it is empty.
struct LaneCut: Sendable {
  /// Which of the lanes, counted from 1.
  let place: Int
  let no: Int64
  let week: CalendarDate
  /// How many jobs were cut, those among them that were cancelled before.
  let jobs: Int
  /// Nil: the lane has nothing to be claimed.
  let claimedAt: Timestamp?
  let endsLane: Bool
}

extension LaneCut: RowDecodable {
  /// How many columns it is read from.
  static let columns = 6

  init(row: inout RowReader) throws(PostgresError) {
    self = try LaneCut(place: row.next(), no: row.next(), row: &row)
  }

  init(place: Int, no: Int64, row: inout RowReader) throws(PostgresError) {
    self.place = place
    self.no = no
    week = try row.next()
    jobs = try row.next()
    claimedAt = try row.next()
    endsLane = try row.next()
  }
}

/// A job of a claim.
struct ClaimedRow: Sendable {
  /// Which of the claims, counted from 1.
  var place: Int
  let id: UUID
  let round: Int
  let attempt: Int
  let maxAttempts: Int
  let subject: JobSubject
  let uniqueKey: String?
  let isAlone: Bool
  let postedAt: Timestamp
  let isCancelled: Bool
}

extension ClaimedRow: RowDecodable {
  init(row: inout RowReader) throws(PostgresError) { self = try ClaimedRow(place: row.next(), row: &row) }

  init(place: Int, row: inout RowReader) throws(PostgresError) {
    self.place = place
    id = try row.next()
    round = try row.next()
    attempt = try row.next()
    maxAttempts = try row.next()
    let payload: JSON = try row.next()
    uniqueKey = try row.next()
    let causeType: String? = try row.next()
    let causeID: UUID? = try row.next()
    let traceID: String? = try row.next()
    subject = JobSubject(payload: payload, causeType: causeType, causeID: causeID, traceID: traceID)
    isAlone = try row.next()
    postedAt = try row.next()
    isCancelled = try row.next()
  }
}

/// A line of what was cut and read at once.
enum TakenRow: Sendable {
  case cut(LaneCut)
  /// A job; its place is that of its lane.
  case job(ClaimedRow)
}

extension TakenRow: RowDecodable {
  init(row: inout RowReader) throws(PostgresError) {
    let place: Int = try row.next()
    guard let no: Int64 = try row.next() else {
      for _ in 2..<LaneCut.columns { row.skip() }
      self = .job(try ClaimedRow(place: place, row: &row))
      return
    }
    self = .cut(try LaneCut(place: place, no: no, row: &row))
  }
}
