public import FoundationEssentials
internal import Postgres
internal import Store
public import Testing

/// An open job in the queue, as a test sees it.
public struct TestJob: Sendable {
  /// The job's key.
  public let id: UUID
  /// The kind, which selects the handler.
  public let kind: String
  /// The queue, which selects the workers.
  public let queue: String
  /// `queued`, or `retrying` after a failed attempt.
  public let state: String
  /// 1 (urgent) to 4 (when idle); lower numbers run first.
  public let priority: Int
  /// The number of attempts so far.
  public let attempt: Int
  /// The number of failed attempts after which the job is dead.
  public let maxAttempts: Int
  /// The time until it may run; zero or negative if it may run now.
  public let runsIn: Duration
  /// The unique key, if any: at most one open job of the kind has it.
  public let uniqueKey: String?
  /// The payload as JSON text.
  public let payloadText: String

  /// Decodes the payload.
  ///
  /// - Throws: `DecodingError` if it has another shape.
  public func payload<Payload: Decodable>(as type: Payload.Type = Payload.self) throws -> Payload {
    try JSONDecoder().decode(Payload.self, from: Data(payloadText.utf8))
  }
}

extension TestQueue {
  /// Returns the open jobs that are not running, oldest first.
  ///
  /// - Parameter kind: nil for all kinds.
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

  /// Expects a matching enqueued job; records an issue at the caller's line if there is none.
  ///
  /// - Parameters:
  ///   - count: the exact number of matching jobs; nil for at least one.
  ///   - fits: the condition; an error that it throws counts as no match.
  /// - Returns: the matching jobs, oldest first.
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
    let wanted = count.map { "\($0) enqueued jobs" } ?? "an enqueued job"
    var message = "expected \(wanted) of kind \(kind) that fit, and there are \(found.count)"
    if ofKind.count > found.count {
      let others = ofKind.prefix(5).map { "\n  \($0.summary)" }.joined()
      message += "; of the kind there are \(ofKind.count):\(others)"
    } else {
      let kinds = Dictionary(grouping: all, by: \.kind).map { "\($1.count) \($0)" }.sorted()
      message += "; enqueued is: \(kinds.isEmpty ? "nothing" : kinds.joined(separator: ", "))"
    }
    Issue.record(Comment(rawValue: message), sourceLocation: sourceLocation)
    return found
  }

  /// Expects that no job is enqueued, or none of a kind; records an issue at the caller's line otherwise.
  public func expectNothingEnqueued(kind: String? = nil, sourceLocation: SourceLocation = #_sourceLocation)
    async throws
  {
    let found = try await jobs(kind: kind)
    guard !found.isEmpty else { return }
    let list = found.prefix(5).map { "\n  \($0.summary)" }.joined()
    let what = kind.map { "of kind \($0)" } ?? "at all"
    Issue.record(
      Comment(rawValue: "expected nothing \(what) to be enqueued, and there are \(found.count) jobs:\(list)"),
      sourceLocation: sourceLocation
    )
  }
}

extension TestJob {
  /// One line for messages.
  fileprivate var summary: String {
    let time = runsIn > .zero ? ", in \(runsIn)" : ""
    return "\(kind) in \(queue), \(state)\(time), attempt \(attempt) of \(maxAttempts): \(payloadText)"
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
      state: try row.next(),
      priority: try row.next(),
      attempt: try row.next(),
      maxAttempts: try row.next(),
      runsIn: .seconds(try row.next() as Double),
      uniqueKey: try row.next(),
      payloadText: try row.next()
    )
  }
}
