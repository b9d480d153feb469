package import FoundationEssentials
package import Postgres

/// A job that a worker holds under a lease.
package struct ClaimedJob: RowDecodable, Sendable {
  package let company: UUID
  package let id: UUID
  package let kind: String
  package let queue: String
  /// Which attempt this is, counted from 1.
  package let attempt: Int
  package let maxAttempts: Int
  /// Grows with every claim: whoever holds an older one has lost the job and cannot finish it.
  package let fence: Int64
  /// When the claim was made, by the database's clock.
  package let claimedAt: Timestamp

  /// One holding of one job: the same job claimed again is another.
  package struct Claim: Hashable, Sendable {
    package let id: UUID
    package let fence: Int64
  }

  /// What tells this holding from an earlier or later one.
  package var claim: Claim { Claim(id: id, fence: fence) }

  package init(row: inout RowReader) throws(PostgresError) {
    company = try row.next()
    id = try row.next()
    kind = try row.next()
    queue = try row.next()
    attempt = try row.next()
    maxAttempts = try row.next()
    fence = try row.next()
    claimedAt = try row.next()
  }
}

/// What a claimed job is about, read inside its company.
package struct JobPayload: RowDecodable, Sendable {
  package let payload: JSON
  package let causeType: String?
  package let causeID: UUID?
  package let traceID: String?

  package init(row: inout RowReader) throws(PostgresError) {
    payload = try row.next()
    causeType = try row.next()
    causeID = try row.next()
    traceID = try row.next()
  }
}
