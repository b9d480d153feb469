public import FoundationEssentials
internal import Postgres
internal import Store
public import Testing

/// A job that is in the queue, as a test looks at it.
public struct TestJob: Sendable {
  /// Its key.
  public let id: UUID
  /// Which handler runs it.
  public let kind: String
  /// Which workers take it.
  public let queue: String
  /// `queued`, or `retrying` once it has failed.
  public let state: String
  /// 1 urgent, 2 normal, 3 low, 4 when idle.
  public let priority: Int
  /// How often it was begun.
  public let attempt: Int
  /// After so many failures it is dead.
  public let maxAttempts: Int
  /// How long from now it may run at the earliest; zero or less: now.
  public let runsIn: Duration
  /// The key that keeps others of its kind out.
  public let uniqueKey: String?
  /// What it is about, as JSON.
  public let payloadText: String

  /// What it is about.
  public func payload<Payload: Decodable>(as type: Payload.Type = Payload.self) throws -> Payload {
    try JSONDecoder().decode(Payload.self, from: Data(payloadText.utf8))
  }
}

extension TestQueue {
  /// The jobs that wait for a worker or for their time, oldest first.
  ///
  /// - Parameter kind: nil: of every kind.
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

  /// Expects that a job is enqueued that fits, and records an issue where it is called if there is none.
  ///
  /// - Parameters:
  ///   - count: how many fit; nil: one at least.
  ///   - fits: what must hold of it; what it throws is taken for no.
  /// - Returns: those that fit, oldest first.
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

  /// Expects that nothing is enqueued, or nothing of a kind.
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
  /// In one line, for messages.
  fileprivate var summary: String {
    let time = runsIn > .zero ? ", in \(runsIn)" : ""
    return "\(kind) in \(queue), \(state)\(time), attempt \(attempt) of \(maxAttempts): \(payloadText)"
  }
}

/// A row that ``TestQueue/jobs(kind:)`` reads.
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
