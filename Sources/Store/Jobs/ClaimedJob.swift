package import FoundationEssentials
package import Postgres

/// A job that a worker holds as part of a claim, with what it is about.
package struct ClaimedJob: Sendable {
  package let company: UUID
  package let id: UUID
  package let kind: String
  package let queue: String
  /// Which attempt this is, counted from 1.
  package let attempt: Int
  package let maxAttempts: Int
  /// The number of its claim in its lane: whoever holds an older one has lost the job and cannot finish it.
  package let fence: Int64
  /// When the claim was made, by the database's clock.
  package let claimedAt: Timestamp
  package let subject: JobSubject
  /// Which post of the job it is.
  let round: Int
  let lane: UUID
  /// The week of the claim.
  let week: CalendarDate
  /// The key that it holds until it has ended.
  let uniqueKey: String?
  /// What its worker took together.
  let batch: Int64

  /// One holding of one job: the same job claimed again is another.
  package struct Claim: Hashable, Sendable {
    package let id: UUID
    package let lane: UUID
    package let fence: Int64
  }

  /// What tells this holding from an earlier or later one.
  package var claim: Claim { Claim(id: id, lane: lane, fence: fence) }

  /// The claim that it is part of.
  var slice: ClaimKey { ClaimKey(company: company, lane: lane, no: fence) }
}

/// What a job is about and where it comes from.
package struct JobSubject: Sendable {
  package let payload: JSON
  package let causeType: String?
  package let causeID: UUID?
  package let traceID: String?
}

/// A slice of a lane that a worker took.
struct ClaimKey: Hashable, Sendable {
  let company: UUID
  let lane: UUID
  let no: Int64
}

/// A row that a claim gives: a job, or that a lane is empty.
struct ClaimRow: RowDecodable, Sendable {
  let lane: UUID
  /// Nil: the lane has nothing to be claimed.
  let job: ClaimedJob?

  init(row: inout RowReader) throws(PostgresError) {
    let company: UUID = try row.next()
    lane = try row.next()
    let no: Int64 = try row.next()
    let week: CalendarDate = try row.next()
    let id: UUID? = try row.next()
    let round: Int = try row.next()
    let queue: String? = try row.next()
    let kind: String? = try row.next()
    let attempt: Int = try row.next()
    let maxAttempts: Int = try row.next()
    let uniqueKey: String? = try row.next()
    let causeType: String? = try row.next()
    let causeID: UUID? = try row.next()
    let traceID: String? = try row.next()
    let payload: JSON? = try row.next()
    let claimedAt: Timestamp? = try row.next()
    let batch: Int64 = try row.next()
    guard let id, let queue, let kind, let payload, let claimedAt else {
      job = nil
      return
    }
    job = ClaimedJob(
      company: company,
      id: id,
      kind: kind,
      queue: queue,
      attempt: attempt,
      maxAttempts: maxAttempts,
      fence: no,
      claimedAt: claimedAt,
      subject: JobSubject(payload: payload, causeType: causeType, causeID: causeID, traceID: traceID),
      round: round,
      lane: lane,
      week: week,
      uniqueKey: uniqueKey,
      batch: batch
    )
  }
}
