internal import FoundationEssentials
internal import Postgres

/// A database with jobs of many companies in every state but cancelled, and with two running workers.
struct CountStock: Sendable {
  let server: BenchServer
  let database: String
  let jobs: Int

  /// The number of companies; not a multiple of the number of kinds, so that each company has jobs of every
  /// kind.
  static let companies = 2_501
  static let doneKinds = ["bench.done_a", "bench.done_b", "bench.done_c", "bench.done_d"]
  static let laterKinds = ["bench.later_a", "bench.later_b", "bench.later_c", "bench.later_d"]
  private static let failing = 4_000
  /// The number of companies with jobs that always fail.
  private static let unlucky = 100
  private static let hanging = 100

  /// Runs a body with the database while the workers run. About half of the jobs have run; the others are
  /// waiting.
  func with<Value: Sendable>(_ body: (Database) async throws -> Value) async throws -> Value {
    try await server.copy(to: database)
    return try await server.withConnection(to: database, poolSize: 2) { superuser in
      Report.progress("creating \(jobs) jobs; half of them run first")
      let done = jobs / 2 - Self.failing
      try await enqueue(superuser, done, Self.doneKinds)
      // With one attempt, failing jobs are dead; with 25, they are retrying.
      try await enqueue(superuser, Self.failing / 2, [FailingHandler.name], Self.unlucky, attempts: 1)
      try await enqueue(superuser, Self.failing / 2, [FailingHandler.name], Self.unlucky, attempts: 25)
      let team = try await DrainTeam.start(
        2,
        server: server,
        database: database,
        kinds: Self.doneKinds + [FailingHandler.name, HangingHandler.name]
      )
      team.go()
      let end = ContinuousClock.now + .seconds(1_200)
      while true {
        let failed = try await failed(superuser)
        if team.counts.calls >= done, failed >= Self.failing { break }
        guard ContinuousClock.now < end else {
          throw Tool.Failure(
            description: "only \(team.counts.calls) of \(done) jobs ran in twenty minutes"
          )
        }
        try await Task.sleep(for: .milliseconds(100))
      }
      try await enqueue(superuser, Self.hanging, [HangingHandler.name])
      try await enqueue(superuser, jobs - done - Self.failing - Self.hanging, Self.laterKinds)
      let value = try await body(superuser)
      _ = try await team.stop()
      return value
    }
  }

  private func enqueue(
    _ superuser: Database,
    _ count: Int,
    _ kinds: [String],
    _ companies: Int = Self.companies,
    attempts: Int = 5
  ) async throws {
    let backlog = Backlog(
      jobs: count,
      companies: companies,
      kinds: kinds,
      attempts: attempts,
      atOnce: 20_000
    )
    try await backlog.enqueue(superuser)
  }

  private func failed(_ superuser: Database) async throws -> Int {
    try await superuser.value(
      "select count(distinct a.job_id) from core.job_attempt a where a.outcome = 'failed'",
      as: Int.self
    )
  }
}
