internal import Cluster
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store
internal import TestDatabase

/// A PostgreSQL server for one run, with three companies and the table `chaos.effect`, to which jobs add
/// rows.
struct Arena: Sendable {
  let cluster: EmbeddedCluster
  let database: TestDatabase
  /// Services with the rights of an operator.
  let services: Services
  /// A connection as superuser, to which row-level security does not apply.
  let superuser: Database
  /// The companies; the last one is the system company.
  let companies: [CompanyRow]

  /// Starts a server, runs the body, and removes the server.
  static func open<Value>(_ body: (Arena) async throws -> Value) async throws -> Value {
    try await EphemeralCluster.withOwn { cluster in
      let database = try await TestDatabase.make(in: cluster)
      let keys = Keys.random()
      let services = Services(database: database.connect(as: "fettle_admin", poolSize: 2), keys: { keys })
      let superuser = database.connect(as: "postgres", poolSize: 2)
      try await superuser.session { session in
        for statement in Self.tables { try session.execute(statement) }
      }
      for slug in ["anvil", "bellows"] {
        _ = try await Companies(services).create(
          slug: slug,
          name: slug.capitalized,
          timeZone: "Europe/Stockholm",
          owner: (email: "eva@\(slug).example", name: "Eva"),
          actor: .operator("chaos")
        )
      }
      let rows = try await Companies(services).list()
      let arena = Arena(
        cluster: cluster,
        database: database,
        services: services,
        superuser: superuser,
        companies: rows.filter { $0.slug == "anvil" } + rows.filter { $0.slug == "bellows" }
          + rows.filter { $0.slug == "system" }
      )
      let value = try await body(arena)
      await services.database.close()
      await superuser.close()
      return value
    }
  }

  /// The table has no unique key, so that it shows if the queue lets a job take effect twice.
  private static let tables: [SQL] = [
    "create schema chaos",
    "create table chaos.effect (job_id uuid not null, child uuid, at timestamptz not null default clock_timestamp())",
    "create index effect_job on chaos.effect (job_id)",
    "grant usage on schema chaos to fettle_worker",
    "grant insert, select on chaos.effect to fettle_worker",
  ]

  /// Enqueues the jobs of a round, those of each company in one transaction.
  ///
  /// - Returns: the jobs with their ids.
  func enqueue(_ plan: RoundPlan) async throws -> [PlacedJob] {
    let placed = plan.jobs.map { job in
      PlacedJob(id: services.ids.next(), company: companies[job.company], plan: job)
    }
    for company in companies {
      let jobs = placed.filter { $0.company.id == company.id }.map { job in
        NewJob(
          id: job.id,
          kind: job.plan.deed.kind,
          priority: job.plan.priority,
          maxAttempts: job.plan.maxAttempts,
          payload: JSON(
            ["pause": .integer(job.plan.pause), "failures": .integer(job.plan.failures)] as JSONObject
          ),
          uniqueKey: job.plan.hasKey ? job.id.uuidString.lowercased() : nil
        )
      }
      try await services.database.transaction(.inside(company.id)) { tx in
        try JobOutbox.write(jobs, company: company.id, traceID: nil, tx)
      }
    }
    await JobNotifier(services.database).notify()
    return placed
  }
}

/// An enqueued job of a round.
struct PlacedJob: Sendable {
  let id: UUID
  let company: CompanyRow
  let plan: RoundPlan.Job
}
