internal import FoundationEssentials
internal import Postgres

/// The batch taken from a lane, or a note that the lane is empty.
struct LaneBatch: Sendable {
  /// The position of the lane among those requested, from 1.
  let place: Int
  let no: Int64
  let week: CalendarDate
  /// The number of jobs taken, including those cancelled before the claim. Negative:
  /// `core.take_short_batches` leaves the lane to `core.take_batches`.
  let jobs: Int
  /// Nil if the lane has nothing to claim.
  let claimedAt: Timestamp?
  let endsLane: Bool
}

extension LaneBatch: RowDecodable {
  /// The number of columns that a row is read from.
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
  /// The position of the claim among those made together, from 1.
  var place: Int
  let id: UUID
  let round: Int
  let attempt: Int
  let maxAttempts: Int
  let subject: JobSubject
  let uniqueKey: String?
  let isAlone: Bool
  let readyAt: Timestamp
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
  /// A job; its place is that of its lane.
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
