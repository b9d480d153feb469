internal import FoundationEssentials
internal import Postgres

extension JobQueue {
  /// The maximum size of batches whose jobs are read while their lanes are locked.
  private static let mostAtOnce: Int32 = 50

  /// Takes batches and reads their jobs. If all batches are short, this takes one statement for most lanes.
  ///
  /// - Returns: the claims, and an error if their jobs could not be read; even then the claims are this
  ///   worker's.
  /// - Throws: the error of a statement if no claim is known.
  func read(_ lanes: [Lane], _ each: [Int32], worker: UUID, batch: Int64, lease: Duration) async throws
    -> (ClaimAnswer, (any Error)?)
  {
    try await database.statements { session in
      let call = ClaimCall(worker: worker, batch: batch, lease: lease, session: session)
      guard each.allSatisfy({ $0 <= Self.mostAtOnce }) else { return try call.takeBatches(lanes, each) }
      var (answer, others, failure) = try call.take(lanes, each)
      guard failure == nil, !others.isEmpty else { return (answer, failure) }
      do {
        let (rest, failure) = try call.takeBatches(others.map { lanes[$0] }, others.map { each[$0] })
        answer.join(rest, of: others.map { lanes[$0] })
        return (answer, failure)
      } catch {
        // Without earlier claims this is the same as a failure of a single statement.
        guard !answer.claims.isEmpty else { throw error }
        failure = error
        return (answer, failure)
      }
    }
  }
}

/// The statements of one claim.
private struct ClaimCall {
  let worker: UUID
  let batch: Int64
  let lease: Duration
  let session: Session

  /// Takes short batches and reads their jobs in one statement.
  ///
  /// - Returns: the claims, the indices of the lanes that need ``takeBatches(_:_:)``, and an error if the
  ///   jobs could not be read.
  func take(_ lanes: [Lane], _ each: [Int32]) throws -> (ClaimAnswer, others: [Int], (any Error)?) {
    let rows = try session.rows(
      """
      select c.place, c.no, c.week, c.jobs, c.claimed_at, c.ends_lane, c.id, c.round, c.attempt, c.max_attempts, c.payload,
        c.unique_key, c.cause_type, c.cause_id, c.trace_id, c.is_alone, c.ready_at, c.is_cancelled
      from core.take_short_batches(\(worker), \(batch), \(lanes.map(\.company)), \(lanes.map(\.id)), \(each)) c
      """,
      as: TakenRow.self
    )
    var laneBatches: [LaneBatch] = []
    var jobs: [ClaimedRow] = []
    var others: [Int] = []
    // The number of the claim by the position of its lane, both from 1.
    var claims = [Int](repeating: 0, count: lanes.count + 1)
    var count = 0
    jobs.reserveCapacity(rows.count)
    for row in rows {
      switch row {
      case .batch(let laneBatch) where laneBatch.jobs < 0: others.append(laneBatch.place - 1)
      case .batch(let laneBatch):
        laneBatches.append(laneBatch)
        guard laneBatch.claimedAt != nil else { continue }
        count += 1
        claims[laneBatch.place] = count
      case .job(var job):
        job.place = claims[job.place]
        jobs.append(job)
      }
    }
    var answer = ClaimAnswer(laneBatches, lanes: lanes, batch: batch, lease: lease)
    do {
      try answer.add(jobs)
      return (answer, others, nil)
    } catch {
      return (answer, others, error)
    }
  }

  /// Takes batches, and reads their jobs in a second statement, because the lanes are locked during the
  /// first.
  func takeBatches(_ lanes: [Lane], _ each: [Int32]) throws -> (ClaimAnswer, (any Error)?) {
    let laneBatches = try session.rows(
      """
      select c.place, c.no, c.week, c.jobs, c.claimed_at, c.ends_lane
      from core.take_batches(\(worker), \(batch), \(lanes.map(\.company)), \(lanes.map(\.id)), \(each)) c
      """,
      as: LaneBatch.self
    )
    var answer = ClaimAnswer(laneBatches, lanes: lanes, batch: batch, lease: lease)
    guard !answer.claims.isEmpty else { return (answer, nil) }
    do {
      let claims = answer.claims
      // The jobs of the claims, including cancelled ones.
      try answer.add(
        try session.rows(
          """
          select j.place, j.id, j.round, j.attempt, j.max_attempts, j.payload, j.unique_key, j.cause_type, j.cause_id,
            j.trace_id, j.is_alone, j.ready_at, j.is_cancelled
          from core.claimed_jobs(\(worker), \(claims.map(\.week)), \(claims.map(\.lane.company)),
            \(claims.map(\.lane.id)), \(claims.map(\.no))) j
          """,
          as: ClaimedRow.self
        )
      )
      return (answer, nil)
    } catch {
      return (answer, error)
    }
  }
}
