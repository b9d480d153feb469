import FoundationEssentials
import Postgres
import Secrets
import Testing

@testable import Store

/// Creates claimed jobs without a database, with deterministic ids.
struct ClaimedJobSource {
  private var no: Int64 = 0
  private var lastID: UInt128 = 0

  /// Returns the jobs of a new claim.
  mutating func claim(_ count: Int, kind: String = "test.job", at now: ContinuousClock.Instant) throws
    -> [ClaimedJob]
  {
    no += 1
    let lane = Lane(company: nextID(), id: nextID(), queue: "default", kind: kind, priority: 2)
    let claim = OpenClaim(
      lane: lane,
      no: no,
      week: LocalDate(daysSince1970: 20_000),
      claimedAt: Instant(microseconds: 0),
      batch: no,
      lease: .seconds(6),
      since: now
    )
    return (0..<count).map { _ in
      let id = nextID()
      return ClaimedJob(
        id: id,
        attempt: 1,
        maxAttempts: 5,
        subject: JobSubject(payload: JSON(text: "{}"), causeType: nil, causeID: nil, traceID: nil),
        round: 1,
        uniqueKey: nil,
        isAlone: false,
        readyAt: Instant(microseconds: 0),
        openClaim: claim,
        position: claim.add(id)
      )
    }
  }

  private mutating func nextID() -> UUID {
    lastID += 1
    return UUID(number: lastID)
  }
}

extension ClaimedJob {
  /// Loses the lease of the job's claim.
  func loseLease() { openClaim.lose() }
}
