internal import API
internal import Apps
internal import Cluster
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Measures a list of 50 records: beside pgbench with the same statements, beside one SQL function that returns the
/// same rows as JSON, and beside decoding and encoding in Swift.
struct ListFigures {
  let server: BenchServer
  let plan: Plan
  let token: BenchToken

  private static let path = "/v1/maintenance/entry?limit=50"

  func measure() async throws -> [Figure] {
    Report.progress("list of 50 records")
    try await server.withConnection(as: "postgres") { superuser in
      try await superuser.session { session in
        for statement in Self.function { try session.execute(statement) }
      }
    }
    let script = try await ReadScript(
      try await APITrace(server: server, token: token).statements(.get, Self.path),
      token: token,
      server: server
    )
    if plan.showsScripts { print("-- list of 50\n\(script.text)") }
    let wrk = Wrk(connections: plan.clients, seconds: plan.seconds, folder: server.cluster.directory)
    let figures = try await WebServer.with(server, token: token.text) { web in
      let list = { () async throws -> Sample in
        // The server still answers the requests that the last run broke off.
        try await Task.sleep(for: .seconds(2))
        return try wrk.run(web.address + Self.path, headers: [web.authorization])
      }
      let besideSame = Contest(
        ours: [Contest.Side(name: "list of 50", aim: 0.7, measure: list)],
        peer: Contest.Side(name: "pgbench, same statements") { try pgbench(script.text, script.variables) }
      )
      let besideFunction = Contest(
        ours: [Contest.Side(name: "list of 50", measure: list)],
        peer: Contest.Side(name: "pgbench, one SQL function") { try pgbench(Self.floor, [:]) }
      )
      return try await besideSame.run(plan, unit: "requests/s") + besideFunction.run(plan, unit: "requests/s")
    }
    return try await figures + besideSwift()
  }

  private func pgbench(_ script: String, _ variables: [String: String]) throws -> Sample {
    try Pgbench(server).run(
      script: script,
      clients: plan.clients,
      seconds: plan.seconds,
      variables: variables
    )
  }

  /// Compares the route, which forwards JSON as PostgreSQL writes it, with a use case that decodes the records.
  private func besideSwift() async throws -> [Figure] {
    let clients = plan.clients
    return try await server.withConnection(as: "fettle_app", poolSize: clients) { database in
      let api = try await APICaller(database, token: token)
      let services = Services(database: database, rules: CompiledApps.rules) {
        throw DomainError(.internal, "the bench has no keys")
      }
      let records = try await Records.open(services)
      let acting = try await Fixture.acting(in: 1, database)
      let query = Self.query
      let contest = Contest(
        ours: [
          Contest.Side(name: "list of 50, without HTTP", aim: 1.5) {
            try await Load.run(clients: clients, seconds: Double(plan.seconds)) { _, _ in
              _ = try await api.send(.get, Self.path)
              return 1
            }
          }
        ],
        peer: Contest.Side(name: "decoded and encoded in Swift") {
          try await Load.run(clients: clients, seconds: Double(plan.seconds)) { _, _ in
            let page = try await records.page(acting, type: "maintenance.entry", query)
            let body: JSONObject = ["items": .array(page.records.map(JSONValue.object))]
            return JSONValue.object(body).text.utf8.isEmpty ? 0 : 1
          }
        }
      )
      return try await contest.run(plan, unit: "lists/s")
    }
  }

  /// The query of the list.
  private static var query: RecordQuery {
    var query = RecordQuery()
    query.limit = 50
    return query
  }

  /// The SQL function: the rows of the list as one JSON document, as PostgREST computes it.
  private static let function: [SQL] = [
    "create schema bench",
    """
    create function bench.entries(count int) returns json language sql stable as $$
      select coalesce(json_agg(row_to_json(v)), '[]')
      from (
        select v.* from maintenance.v_entry v
        where v.company_id = (select core.current_company())
        order by v.created_at desc, v.id
        limit count
      ) v
    $$
    """,
    "grant usage on schema bench to fettle_app",
    "grant execute on function bench.entries(int) to fettle_app",
  ]

  private static let floor = """
    \\startpipeline
    begin read only;
    select set_config('fettle.company_id', '\(Fixture.id(1).uuidString.lowercased())', true),
      set_config('fettle.user_id', '\(Fixture.user.uuidString.lowercased())', true);
    select bench.entries(50);
    commit;
    \\endpipeline

    """
}
