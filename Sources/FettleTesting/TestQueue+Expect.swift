public import FoundationEssentials
internal import Postgres
internal import Store
public import Testing

/// An enqueued job that no worker has claimed, as ``TestQueue/jobs(kind:)`` returns it.
///
/// A copy of the values at the time of the query; later changes of the job do not change it.
public struct TestJob: Sendable {
  /// The state of a waiting job.
  public enum State: String, Sendable, Hashable {
    /// Before the first counted attempt.
    case queued
    /// After a counted attempt.
    case retrying
  }

  /// The id of the job: a version 7 UUID, unless the test chose another one.
  public let id: UUID
  /// The kind, which selects the handler, such as `letter.print`.
  public let kind: String
  /// The queue, which selects the workers; `default` unless the job names another one.
  public let queue: String
  /// Whether the job has had a counted attempt.
  public let state: State
  /// The priority, 1 (urgent) to 4 (when idle); lower numbers run first.
  public let priority: Int
  /// The number of counted attempts so far, from 0; a snoozed attempt does not count.
  public let attempt: Int
  /// The number of failed attempts after which the job is dead, 1 to 1,000.
  public let maxAttempts: Int
  /// The time until the job is due, by the database's clock; zero or negative if the job is due.
  public let runsIn: Duration
  /// The unique key, 1 to 200 characters; nil if the job has none.
  ///
  /// At most one open job of a kind has a given key in the company.
  public let uniqueKey: String?
  /// The payload as JSON text, as PostgreSQL prints `jsonb`: white space and key order may differ from the
  /// input.
  public let payloadText: String

  /// Returns the payload decoded from JSON.
  ///
  /// - Parameter type: the type of the payload; inferred from the result unless given.
  /// - Throws: `DecodingError` if the JSON does not have the shape of the type.
  public func payload<Payload: Decodable>(as type: Payload.Type = Payload.self) throws -> Payload {
    try JSONDecoder().decode(Payload.self, from: Data(payloadText.utf8))
  }
}

extension TestQueue {
  /// Returns the waiting jobs of the company, oldest first: ready, deferred and retrying ones.
  ///
  /// Running and ended jobs are left out.
  ///
  /// - Parameter kind: the kind of the jobs; nil for all kinds.
  /// - Throws: `PostgresError` if the query fails.
  public func jobs(kind: String? = nil) async throws -> [TestJob] {
    try await superuser.rows(
      """
      select j.id, j.kind, j.queue, j.state, j.priority::integer, j.attempt, j.max_attempts,
        extract(epoch from j.run_at - clock_timestamp())::float8, j.unique_key, p.payload::text
      from core.job j
      join core.job_payload p on p.company_id = j.company_id and p.job_id = j.id
      where j.company_id = \(company) and j.state in ('queued', 'retrying')
        and (\(nullable: kind)::text is null or j.kind = \(nullable: kind)::text)
      order by j.created_at, j.id
      """,
      as: TestJobRow.self
    ).map(\.job)
  }

  /// Expects a waiting job that matches, and records an issue at the caller's line if there is none.
  ///
  /// If jobs of the kind do not match, the issue lists the first five of the kind. Otherwise it counts the
  /// waiting jobs by kind.
  ///
  /// - Parameters:
  ///   - kind: the kind of the jobs.
  ///   - count: the exact number of matching jobs; nil for at least one.
  ///   - sourceLocation: the line at which the issue is recorded.
  ///   - fits: the condition; a job for which it throws an error does not match.
  /// - Returns: the matching jobs, oldest first, even if an issue was recorded.
  /// - Throws: `PostgresError` if the jobs cannot be read; a missing job throws nothing.
  @discardableResult
  public func expectEnqueued(
    kind: String,
    count: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    where fits: (TestJob) throws -> Bool = { _ in true }
  ) async throws -> [TestJob] {
    let all = try await jobs()
    let ofKind = all.filter { $0.kind == kind }
    let found = ofKind.filter { (try? fits($0)) ?? false }
    guard count.map({ found.count != $0 }) ?? found.isEmpty else { return found }
    let wanted = count.map { "\($0) enqueued jobs of kind \(kind) that match" }
    var message = "expected \(wanted ?? "an enqueued job of kind \(kind) that matches"), found \(found.count)"
    if ofKind.count > found.count {
      let others = ofKind.prefix(5).map { "\n  \($0.summary)" }.joined()
      message += "; \(ofKind.count) of the kind are enqueued:\(others)"
    } else {
      let kinds = Dictionary(grouping: all, by: \.kind).map { "\($1.count) \($0)" }.sorted()
      message += "; enqueued: \(kinds.isEmpty ? "nothing" : kinds.joined(separator: ", "))"
    }
    Issue.record(Comment(rawValue: message), sourceLocation: sourceLocation)
    return found
  }

  /// Expects that no job is waiting, and records an issue at the caller's line otherwise.
  ///
  /// Ready, deferred and retrying jobs are waiting; running and ended ones are not. The issue lists the first
  /// five jobs.
  ///
  /// - Parameters:
  ///   - kind: the kind that must not be enqueued; nil for all kinds.
  ///   - sourceLocation: the line at which the issue is recorded.
  /// - Throws: `PostgresError` if the jobs cannot be read; a waiting job throws nothing.
  public func expectNothingEnqueued(kind: String? = nil, sourceLocation: SourceLocation = #_sourceLocation)
    async throws
  {
    let found = try await jobs(kind: kind)
    guard !found.isEmpty else { return }
    let list = found.prefix(5).map { "\n  \($0.summary)" }.joined()
    let wanted = kind.map { "no enqueued job of kind \($0)" } ?? "no enqueued job"
    Issue.record(
      Comment(rawValue: "expected \(wanted), found \(found.count):\(list)"),
      sourceLocation: sourceLocation
    )
  }
}

extension TestJob {
  /// The job in one line, for messages.
  fileprivate var summary: String {
    let time = runsIn > .zero ? ", in \(runsIn)" : ""
    return
      "\(kind) in \(queue), \(state.rawValue)\(time), attempt \(attempt) of \(maxAttempts): \(payloadText)"
  }
}

/// A row of ``TestQueue/jobs(kind:)``.
private struct TestJobRow: RowDecodable, Sendable {
  let job: TestJob

  init(row: inout RowReader) throws(PostgresError) {
    job = TestJob(
      id: try row.next(),
      kind: try row.next(),
      queue: try row.next(),
      state: try row.next() as String == "retrying" ? .retrying : .queued,
      priority: try row.next(),
      attempt: try row.next(),
      maxAttempts: try row.next(),
      runsIn: .seconds(try row.next() as Double),
      uniqueKey: try row.next(),
      payloadText: try row.next()
    )
  }
}
