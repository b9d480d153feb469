internal import Cluster
internal import Domain
internal import FoundationEssentials
internal import Postgres

/// The served product with two companies: one whose devices send changes, and one with many records to pull.
struct SyncWorld: Sendable {
  let server: BenchServer
  let web: WebServer
  let plan: SyncPlan
  /// The company of the pushed changes, with 20,000 entries.
  let pushing: SyncMember
  /// The company of the pulled records, with ``SyncPlan/records`` entries.
  let pulling: SyncMember
  /// Devices of the member of ``pushing``.
  let phones: [SyncPhone]
  /// The process id of PostgreSQL.
  let postmaster: Int

  /// Signs the members up and fills their companies.
  static func open(_ server: BenchServer, _ web: WebServer, _ plan: SyncPlan) async throws -> SyncWorld {
    Report.progress("filling \(plan.records) entries")
    let pushing = try await SyncMember.signUp("push", web, server)
    let world = SyncWorld(
      server: server,
      web: web,
      plan: plan,
      pushing: pushing,
      pulling: try await .signUp("pull", web, server),
      phones: try await SyncPhone.register(9, of: pushing),
      postmaster: try await server.postmaster()
    )
    try await server.withConnection { superuser in
      try await SyncFixture.fill(world.pushing, entries: min(20_000, plan.records), superuser)
      try await SyncFixture.fill(world.pulling, entries: plan.records, superuser)
      try await superuser.session { session in
        try session.execute("create schema bench")
        try session.execute(
          "create table bench.change (id uuid primary key, at bigint generated always as identity, data jsonb)"
        )
        try session.execute("create table bench.bare (n bigint generated always as identity primary key)")
        try session.execute("vacuum (analyze)")
        try session.execute("checkpoint")
      }
    }
    return world
  }

  /// Measures a rate, with the CPU time of PostgreSQL and of another process.
  ///
  /// - Parameter program: the process id of the server in front of PostgreSQL; nil for none.
  func rate(program: Int?, _ body: () async throws -> Sample) async throws -> SyncContest.Reading {
    let before = (
      database: ServerTime.spent(postmaster: postmaster),
      program: program.map { ServerTime.spent(postmaster: $0) } ?? .nan
    )
    let sample = try await body()
    // Ended processes are counted once PostgreSQL has noticed their end.
    try await Task.sleep(for: .milliseconds(50))
    let after = (
      database: ServerTime.spent(postmaster: postmaster),
      program: program.map { ServerTime.spent(postmaster: $0) } ?? .nan
    )
    return SyncContest.Reading(
      value: sample.perSecond,
      database: (after.database - before.database) / sample.units,
      program: (after.program - before.program) / sample.units
    )
  }
}
