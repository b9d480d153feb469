internal import API
internal import Domain
internal import FoundationEssentials
internal import Postgres

/// A pgbench script that repeats the statements of a push, as traced, in the same round trips.
///
/// Every statement has the engine's text, and every bound value stays bound. Ids and numbers of the traced push are
/// replaced in each run by new ones. The differences from the engine:
///
/// - One more statement per run computes the values that differ, from texts in the table `bench.push_value`.
/// - Times are `now()`. Digests, texts and versions are constant.
/// - Values travel as text, those of the engine in binary form.
/// - pgbench prepares all statements, including `set local` and savepoints.
struct PushScript {
  let text: String
  private let constants: [String: String]

  /// The digits with which the numbers of a traced push begin. Three digits follow.
  private static let numbers = "7123456"
  /// The digits with which the numbers of the created entries begin. Three digits follow.
  private static let counters = "8123456"
  /// The beginning of every new id in the texts; twelve digits follow.
  private static let ids = "PPPPPPPP-PPPP-PPPP-PPPP"

  /// Traces a push and stores its values.
  ///
  /// - Parameters:
  ///   - size: the number of changes, below 1,000.
  ///   - devices: the number of pgbench clients; each has a device of its own.
  static func make(_ world: SyncWorld, size: Int, devices: Int) async throws -> PushScript {
    let member = world.pushing
    let phones = (0..<devices).map { Fixture.id(9_000_000 + $0) }
    try await member.register(phones)
    try await world.server.withConnection { superuser in
      _ = try await superuser.execute(
        """
        insert into core.number_series (company_id, record_type, reserved)
        values (\(member.company), 'maintenance.entry', \(counters + "099")::text::bigint)
        on conflict (company_id, record_type) do update set reserved = excluded.reserved
        """
      )
    }
    let bodies = (1...2).map { push in
      let changes = (0..<size).map { index in
        SyncPhone.creation(
          Int64("\(numbers)\(push == 1 ? 0 : 4)\(index < 10 ? "0" : "")\(index % 100)") ?? 0,
          UUID(),
          machine: member.machine,
          category: member.category
        )
      }
      return "{\"device_id\":\"\(phones[0].text)\",\"mutations\":[\(changes.joined(separator: ","))]}"
    }
    let traces = try await SyncAPI.trace(
      world.server,
      authorization: member.authorization,
      .post,
      "/v1/sync/push",
      bodies: bodies
    )
    return try await world.server.withConnection { superuser in
      var writer = PushScriptWriter(
        before: try await Literals(of: traces[0], superuser),
        literals: try await Literals(of: traces[1], superuser),
        devices: 9_000_000,
        ids: ids,
        numbers: [numbers, counters]
      )
      for roundTrip in traces[1] { writer.add(roundTrip) }
      try await store(writer.templates, superuser)
      return PushScript(text: writer.script, constants: writer.constants)
    }
  }

  /// Runs the script twice, and requires that it stores what two pushes store.
  func require(_ world: SyncWorld, size: Int) async throws {
    let company = world.pushing.company
    let count: SQL = """
      select (select count(*) from core.sync_item i where i.company_id = \(company) and i.status = 'synced')
        + (select count(*) from core.feed f where f.company_id = \(company) and f.op = 'put')
        + (select count(*) from core.history h where h.company_id = \(company))
      """
    try await world.server.withConnection { superuser in
      let before = try await superuser.value(count, as: Int.self)
      _ = try Pgbench(world.server).take(
        script: text,
        user: "fettle_app",
        clients: 1,
        transactions: 2,
        variables: variables(run: 1_000)
      )
      let added = try await superuser.value(count, as: Int.self) - before
      guard added == 2 * 3 * size else {
        throw Tool.Failure(
          description: "the script of a push stores \(added) rows instead of \(2 * 3 * size)"
        )
      }
    }
  }

  /// Returns the variables for a run of pgbench.
  ///
  /// - Parameter run: the number of the run, so that no two runs use the same ids.
  func variables(run: Int) -> [String: String] {
    constants.merging(["n": "0", "run": String(run)]) { constant, _ in constant }
  }

  private static func store(_ templates: [String], _ superuser: Database) async throws {
    try await superuser.session { session in
      try session.execute("drop table if exists bench.push_value")
      try session.execute("create table bench.push_value (n int primary key, value text not null)")
      for (n, value) in templates.enumerated() {
        try session.execute("insert into bench.push_value values (\(Int32(n)), \(value))")
      }
      try session.execute("grant usage on schema bench to fettle_app")
      try session.execute("grant select on bench.push_value to fettle_app")
      try session.execute("analyze bench.push_value")
    }
  }
}
