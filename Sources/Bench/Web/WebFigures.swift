internal import API
internal import Cluster
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

struct WebFigures {
  private let plan: Plan
  private let wrk: Wrk

  private var server: BenchServer { plan.server }
  private static let list = "/v1/maintenance/entry?limit=50"
  private static func path(_ entry: Int) -> String {
    "/v1/maintenance/entry/\(Fixture.entry(entry, of: 1).text)"
  }

  /// Creates a token of the member, which may do what the measured requests do.
  init(_ plan: Plan) async throws {
    let issued = try await plan.server.withConnection(as: "fettle_admin") { database in
      let acting = try await Fixture.acting(in: 1, asOperator: true, database)
      let scopes = ["maintenance.entry.read", "maintenance.entry.start"]
      return try await Tokens(plan.server.services(database))
        .create(acting, owner: Fixture.email, name: "bench", scopes: scopes, days: nil)
    }
    self.plan = plan
    wrk = Wrk(plan: plan, authorization: "Authorization: Bearer \(issued.text)")
  }

  /// Measures `GET` of random records, beside pgbench and beside a plain HTTP server.
  func get() async throws -> [Line] {
    let script = try await script(Self.path(1), TraceScript.Marks(entry: Fixture.entry(1, of: 1)))
    let port = try Connection.freePort()
    let log = "\(server.cluster.directory)/hello.log"
    let hello = try ChildProcess("/proc/self/exe", ["hello", "--port", "\(port)"], log: log)
    return try await hello.during {
      try await Connection.awaitReady(hello, port: port, "/hello")
      return try await WebServer.with(server) { web in
        let ours = Side.rate("GET one record", aim: .ratioAtLeast(0.55)) { try reads(web) }
        let peer = Side.rate("Hummingbird, constant text", aim: .ratioAtLeast(0.12)) {
          try wrk.run("http://127.0.0.1:\(port)/hello")
        }
        return try await contest(ours, beside: .pgbench(plan, script), peer)
      }
    }
  }

  /// Measures `GET` of a record that the client has already.
  func unchanged() async throws -> [Line] {
    let path = Self.path(1)
    let tag = try await server.withConnection(as: "fettle_app") { database in
      try await APICaller(server, database, wrk.authorization).send(.get, path).headers["etag"] ?? ""
    }
    return try await WebServer.with(server) { web in
      let ours = Side.rate("GET, If-None-Match: 304", aim: .ratioAtLeast(1)) {
        try wrk.run(web.address + path, headers: ["If-None-Match: \(tag)"])
      }
      let peer = Side.rate("GET of the same record") { try wrk.run(web.address + path) }
      return try await contest(ours, beside: peer)
    }
  }

  func list() async throws -> [Line] {
    let script = try await script(Self.list, TraceScript.Marks())
    return try await WebServer.with(server) { web in
      let ours = Side.rate("list of 50", aim: .ratioAtLeast(0.7)) {
        // The server still answers the requests that the last run broke off.
        try await Task.sleep(for: .seconds(2))
        return try wrk.run(web.address + Self.list)
      }
      return try await contest(ours, beside: .pgbench(plan, script))
    }
  }

  /// Measures transitions. pgbench moves the second half of the entries, the API the first half.
  func transition() async throws -> [Line] {
    let entries = Transitions.Entries(1...1, Fixture.entriesOfOne)
    let half = entries.each / 2
    let trace = try await trace { number, api in
      for transition in ["start", "pause"] {
        try await api.send(.post, "\(Self.path(entries.each - 1 + number))/do/\(transition)", "{}")
      }
    }
    let script = try await Transitions.script(trace, plan, entries, first: half)
    plan.show(script, "transitions")
    // Each run has entries of its own, because an aborted run leaves some of them started.
    let each = half / plan.rounds / 2
    return try await WebServer.with(server) { web in
      var first = 1
      let ours = Side.rate("transitions", aim: .ratioAtLeast(0.6)) {
        defer { first += each * 2 }
        // Requests that the last run broke off still wait for connections, whose number is limited for a company.
        try await Task.sleep(for: .seconds(1))
        return try wrk.run(web.address, entries: ["move", "\(each)", "\(first)"])
      }
      return try await plan.contest("transitions/s", ours, beside: [.pgbench(plan, script, units: 2)])
    }
  }

  /// Measures requests with rate limits that are never reached, beside requests without limits: permits leased in blocks,
  /// and each request taking one from the database.
  func limiter() async throws -> [Line] {
    func limits(_ mode: String) -> [String] { ["--rate-limits", mode, "--rate-factor", "1000"] }
    return try await WebServer.with(server) { free in
      try await WebServer.with(server, limits: limits("leased")) { leased in
        try await WebServer.with(server, limits: limits("exact")) { exact in
          try await plan.contest(
            "requests/s",
            .rate("GET, leased rate limits", aim: .ratioAtLeast(0.97)) { try reads(leased) },
            .rate("GET, exact rate limits", aim: .ratioAtLeast(0.75)) { try reads(exact) },
            beside: [.rate("GET, no rate limits") { try reads(free) }]
          )
        }
      }
    }
  }

  /// Measures the times of pages of the console beside the API's own answers about the same rows.
  func pages() async throws -> [Line] {
    let slug = try await server.withConnection(as: "fettle_admin") { database in
      try await Fixture.acting(in: 1, asOperator: true, database).company.slug
    }
    let page = "/c/\(slug)/maintenance/entry"
    let record = "\(page)/\(Fixture.entry(1, of: 1).text)"
    return try await WebServer.with(server) { web in
      func side(_ name: String, _ path: String, aim: Aim? = nil) -> Side {
        Side.value(name, aim: aim) { try wrk.p95(web.address + path) }
      }
      let list = side("GET list of 50", Self.list)
      let one = side("GET one record", Self.path(1))
      return try await plan.contest(
        "ms, p95",
        side("page: list of 50", page, aim: .atMost(60)),
        beside: [list]
      )
        + plan.contest("ms, p95", side("page: one record", record, aim: .atMost(80)), beside: [one])
        + plan.contest("ms, p95", side("page: Today", "/c/\(slug)", aim: .atMost(80)), beside: [list])
    }
  }

  /// Measures the memory of the server for each idle connection.
  func idle(_ count: Int) async throws -> [Line] {
    try await WebServer.with(server) { web in
      let reading = Reading(try web.open(count, "/livez") { _ in [] }.1 / Double(count) / 1_024)
      let name = "memory of each of \(count) idle connections"
      return [Line(name: name, unit: "KiB", ours: [reading], aim: .atMost(12))]
    }
  }

  private func contest(_ ours: Side, beside peers: Side...) async throws -> [Line] {
    try await plan.contest("requests/s", ours, beside: peers)
  }

  private func reads(_ web: WebServer) throws -> Sample {
    try wrk.run(web.address, entries: ["read", "\(Fixture.entriesOfOne)"])
  }

  /// Returns the script of a read, for random entries.
  private func script(_ path: String, _ marks: TraceScript.Marks) async throws -> TraceScript {
    let trace = try await trace { _, api in try await api.send(.get, path) }
    let head = ["\\set e 1000000 + random(1, \(Fixture.entriesOfOne))"]
    let script = try await TraceScript(trace, server, marks, head: head)
    plan.show(script, path)
    return script
  }

  private func trace(_ requests: @escaping (Int, APICaller) async throws -> Void) async throws -> Trace {
    try await Trace.of(server) { database in
      let api = try await APICaller(server, database, wrk.authorization)
      return { try await requests($0, api) }
    }
  }
}
