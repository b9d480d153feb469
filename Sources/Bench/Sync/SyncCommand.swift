internal import ArgumentParser
internal import Postgres

/// Measures the synchronisation of devices beside PostgreSQL and Kinto.
struct SyncCommand: FigureCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Compare synchronisation with pgbench and Kinto",
    discussion: BenchOptions.discussion(
      groups,
      "Devices\nsend requests to `fettle serve`. With --peers, Kinto is measured once for each figure.",
      example: "sync --home /var/tmp/bench --peers .build/peers/bin/python"
    )
  )
  static let groups = ["push", "single", "first", "changed", "unchanged", "window", "streams"]
  static let sizes = [(rounds: 5, seconds: 5), (rounds: 2, seconds: 1)]
  static let report = Report(
    cpu: ["PostgreSQL", "server"],
    aim: "target",
    showsMet: true,
    sharers: "servers and devices",
    text: """
      CPU: microseconds per change or record, of PostgreSQL and of the server in front of it. Changes are creations of \
      maintenance entries with history, answers, feed and row-level security; every answer is checked. Kinto stores each \
      with PUT in a batch and repeats those that it refuses.
      """
  )

  @OptionGroup var options: BenchOptions
  var clients: Int { 8 }

  @Option(help: "Number of records of a first pull (default: 100000; with --quick 10000)")
  var records: Int?

  @Option(help: "Number of single requests per round (default: 200; with --quick 50)")
  var samples: Int?

  @Option(help: "Number of idle hint streams (default: 10000; with --quick 1000)")
  var streams: Int?

  func validate() throws {
    guard records ?? 1_000 >= 1_000 else { throw ValidationError("--records is 1000 or more") }
    guard samples ?? 10 >= 10 else { throw ValidationError("--samples is 10 or more") }
    guard (1...20_000).contains(streams ?? 1) else { throw ValidationError("--streams is 1 to 20000") }
  }

  func measure(_ plan: Plan) async throws -> Plan.Outcome {
    let records = records ?? (plan.quick ? 10_000 : 100_000)
    return try await WebServer.with(plan.server) { web in
      let world = try await SyncWorld(
        plan,
        web,
        records: records,
        samples: samples ?? (plan.quick ? 50 : 200)
      )
      return await plan.outcome([
        "push": { try await PushFigures(world: world).measure() },
        "single": { try await PushFigures(world: world).single() },
        "first": { try await PullFigures(world: world).first() },
        "changed": { try await PullFigures(world: world).changed() },
        "unchanged": { try await PullFigures(world: world).unchanged() },
        "window": {
          let done = plan.quick ? 20_000 : 200_000
          return try await WindowFigures(plan: plan, web: web, done: done, open: done / 100).measure()
        },
        "streams": {
          try await StreamFigures(world: world).measure(streams ?? (plan.quick ? 1_000 : 10_000))
        },
      ])
    }
  }
}

/// The served product with two companies: one whose devices send changes, and one with many records to pull.
struct SyncWorld: Sendable {
  let plan: Plan
  let web: WebServer
  let records: Int
  let samples: Int
  /// The members of the companies of the pushed changes, with 20,000 entries, and of the pulled records.
  let pushing: SyncMember
  let pulling: SyncMember
  let phones: [SyncPhone]

  var server: BenchServer { plan.server }
  /// The meters of PostgreSQL and of the server.
  var meters: [Meter?] { [.tree(server.postmaster), .tree(Int(web.process.pid))] }

  init(_ plan: Plan, _ web: WebServer, records: Int, samples: Int) async throws {
    self.plan = plan
    self.web = web
    self.records = records
    self.samples = samples
    try await Fixture.fill(plan.server, [(1...1, min(20_000, records)), (2...2, records)])
    let fields = try await plan.server.withConnection { superuser in
      try await superuser.transaction { tx in
        try tx.execute("create schema bench")
        try tx.execute("create table bench.change (id uuid primary key, data jsonb)")
        try tx.execute("create table bench.bare (n bigint generated always as identity primary key)")
        return try (1...2).map { try Fixture.session(in: Fixture.id($0), tx) }
      }
    }
    pushing = SyncMember(web: web, company: 1, authorization: fields[0])
    pulling = SyncMember(web: web, company: 2, authorization: fields[1])
    phones = try await SyncPhone.register(8, of: pushing)
  }

  func kinto(_ figure: String, _ options: [String: Int] = [:], aim: Aim? = nil) -> [Side] {
    let options = ["jobs": records, "samples": samples, "seconds": plan.seconds].merging(options) { $1 }
    return plan.peers.sides(["kinto"], figure, options, aim: aim, isOnce: true)
  }
}
