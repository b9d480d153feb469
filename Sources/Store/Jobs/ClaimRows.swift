internal import FoundationEssentials
internal import Postgres

/// The answer of a claim statement about one lane: the batch that it took, or a note that it took none.
struct LaneBatch: Sendable {
  /// The position of the lane among those requested, from 1.
  let place: Int
  /// The number of the claim; not valid if nothing was claimed.
  let no: Int64
  let week: LocalDate
  /// The number of jobs taken, including those cancelled before the claim; 0 if the lane is empty. Negative
  /// if `core.take_short_batches` leaves the lane to `core.take_batches`.
  let jobs: Int
  /// The time of the claim, by the database's clock; nil if nothing was claimed, because the lane is empty or
  /// ``jobs`` is negative.
  let claimedAt: Instant?
  /// True if the lane has no further jobs.
  let endsLane: Bool
}

extension LaneBatch: RowDecodable {
  /// The number of columns of a row.
  static let columns = 6

  init(row: inout RowReader) throws(PostgresError) {
    self = try LaneBatch(place: row.next(), no: row.next(), row: &row)
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
  /// The position of the job's claim among the claims made together, from 1.
  var place: Int
  let id: UUID
  let round: Int
  let attempt: Int
  let maxAttempts: Int
  let subject: JobSubject
  let uniqueKey: String?
  let isAlone: Bool
  let readyAt: Instant
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
    readyAt = try row.next()
    isCancelled = try row.next()
  }
}

/// A row of a statement that both takes and reads batches.
enum TakenRow: Sendable {
  case batch(LaneBatch)
  /// A job. Its ``ClaimedRow/place`` is the position of its lane.
  case job(ClaimedRow)
}

extension TakenRow: RowDecodable {
  init(row: inout RowReader) throws(PostgresError) {
    let place: Int = try row.next()
    guard let no: Int64 = try row.next() else {
      for _ in 2..<LaneBatch.columns { row.skip() }
      self = .job(try ClaimedRow(place: place, row: &row))
      return
    }
    self = .batch(try LaneBatch(place: place, no: no, row: &row))
  }
}
