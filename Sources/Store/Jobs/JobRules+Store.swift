package import FoundationEssentials
package import Postgres

extension JobRules {
  /// Reads all pauses and limits.
  ///
  /// - Parameter database: connected as `fettle_worker` or `fettle_admin`.
  package static func read(_ database: Database) async throws -> JobRules {
    JobRules(rows: try await database.rows("select * from core.job_rules()", as: Row.self))
  }

  /// Leases tokens of a limit to a worker.
  ///
  /// - Parameter wanted: the number of jobs that the worker wants to run at once; 0 returns all tokens.
  /// - Returns: the number of tokens that the worker holds now: at most `wanted`, but no fewer than it held
  ///   before and still wants.
  /// - Throws: ``PostgresError`` with SQLSTATE `FT010` if the worker is not registered or was declared lost.
  package static func lease(_ wanted: Int, of key: TokenKey, worker: UUID, _ database: Database) async throws
    -> Int
  {
    try await database.value(
      "select core.lease_tokens(\(worker), \(key.limit), \(key.company), \(Int32(clamping: wanted)))",
      as: Int.self
    )
  }

  /// Takes tokens of a rate, each for the start of one job.
  ///
  /// - Parameter wanted: the number of jobs to start; a negative number returns tokens of jobs that did not
  ///   start.
  /// - Returns: the number of jobs that may start now, at most `wanted`, and the delay until another one may
  ///   start.
  package static func take(_ wanted: Int, of key: TokenKey, _ database: Database) async throws
    -> (granted: Int, retryAfter: Duration)
  {
    let answer = try await database.first(
      """
      select t.granted, t.retry_after
      from core.take_rate(\(key.limit), \(key.company), \(Int32(clamping: wanted))) t
      """,
      Int.self,
      Double.self
    )
    return answer.map { ($0.0, .seconds($0.1)) } ?? (0, .seconds(1))
  }

  private init(rows: [Row]) {
    self.init(pauses: rows.compactMap(\.pause), limits: rows.compactMap(\.limit))
  }

  /// A row of `core.job_rules()`: a pause or a limit.
  private struct Row: RowDecodable, Sendable {
    let pause: Pause?
    let limit: Limit?

    init(row: inout RowReader) throws(PostgresError) {
      let rule: QueueRule.Rule = try row.next()
      let owner: UUID = try row.next()
      let company = owner == JobRules.everyCompany ? nil : owner
      let id: UUID = try row.next()
      let queue: String? = try row.next()
      let kind: String? = try row.next()
      let isForEach: Bool = try row.next()
      let maxRunning: Int? = try row.next()
      let count: Int? = try row.next()
      let seconds: Double? = try row.next()
      guard rule == .limit else {
        pause = Pause(company: company, queue: queue, kind: kind)
        limit = nil
        return
      }
      pause = nil
      var rate: Limit.Rate?
      if let count, let seconds { rate = Limit.Rate(count: count, period: .seconds(seconds)) }
      limit = Limit(
        id: id,
        company: company,
        queue: queue,
        kind: kind,
        isForEach: isForEach,
        maxRunning: maxRunning,
        rate: rate
      )
    }
  }
}
