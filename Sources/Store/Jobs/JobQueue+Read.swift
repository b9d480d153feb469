internal import FoundationEssentials
internal import Postgres

extension JobQueue {
  /// So many jobs of one lane are read while it is locked.
  static let mostAtOnce = 20

  /// Cuts a batch and reads it.
  ///
  /// - Returns: what was claimed, and why it could not be read if so: it is this worker's all the same.
  func read(_ lanes: [Lane], _ each: [Int32], worker: UUID, batch: Int64, lease: Duration) async throws
    -> (ClaimAnswer, (any Error)?)
  {
    if lanes.count == 1, each[0] <= Self.mostAtOnce {
      return try await readOne(lanes[0], each[0], worker: worker, batch: batch, lease: lease)
    }
    return try await cutAndRead(lanes, each, worker: worker, batch: batch, lease: lease)
  }

  /// In one statement, for which a worker that was idle waits.
  private func readOne(_ lane: Lane, _ each: Int32, worker: UUID, batch: Int64, lease: Duration) async throws
    -> (ClaimAnswer, (any Error)?)
  {
    let rows = try await database.rows(
      """
      select 1, c.no, c.week, c.jobs, c.claimed_at, c.ends_lane, c.place, c.id, c.round, c.attempt, c.max_attempts,
        c.payload, c.unique_key, c.cause_type, c.cause_id, c.trace_id, c.is_alone, c.posted_at, c.is_cancelled
      from core.take_lane(\(worker), \(batch), \(lane.company), \(lane.id), \(each)) c
      """,
      as: TakenRow.self
    )
    var answer = ClaimAnswer(rows.prefix(1).map(\.cut), lanes: [lane], batch: batch, lease: lease)
    do {
      try answer.add(rows.compactMap(\.job))
      return (answer, nil)
    } catch {
      return (answer, error)
    }
  }

  /// In two statements, since the lanes are locked during the first, and one way to the connection.
  private func cutAndRead(_ lanes: [Lane], _ each: [Int32], worker: UUID, batch: Int64, lease: Duration)
    async throws -> (ClaimAnswer, (any Error)?)
  {
    try await database.statements { session in
      let cuts = try session.rows(
        """
        select c.place, c.no, c.week, c.jobs, c.claimed_at, c.ends_lane
        from core.cut_lanes(\(worker), \(batch), \(lanes.map(\.company)), \(lanes.map(\.id)), \(each)) c
        """,
        as: LaneCut.self
      )
      var answer = ClaimAnswer(cuts, lanes: lanes, batch: batch, lease: lease)
      guard !answer.claims.isEmpty else { return (answer, nil) }
      do {
        let claims = answer.claims
        // The jobs of the claims, those that were cancelled among them.
        try answer.add(
          try session.rows(
            """
            select j.place, j.id, j.round, j.attempt, j.max_attempts, j.payload, j.unique_key, j.cause_type, j.cause_id,
              j.trace_id, j.is_alone, j.posted_at, j.is_cancelled
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
}
