internal import API
internal import Domain
internal import FoundationEssentials
internal import Postgres

/// Measures pushes: beside inserts of the same batches into one table of JSON documents, beside pgbench with the statements of
/// the same push, and beside Kinto.
struct PushFigures {
  let world: SyncWorld

  private var plan: Plan { world.plan }
  /// The size of a batch whose statements are traced, and for which there are targets.
  private static let traced = 100

  /// Measures batches of several sizes, from one and from eight devices, and batches of other changes than creations.
  func measure() async throws -> [Line] {
    let script = try await script()
    plan.show(script, "push of \(Self.traced)")
    var lines: [Line] = []
    for devices in [1, 8] {
      for size in [1, 25, Self.traced, 500] {
        lines += try await measure(size, devices, size == Self.traced ? script : nil)
      }
    }
    for mix in SyncPhone.Mix.allCases where mix != .creates {
      let name = "push of \(mix.rawValue), batches of \(Self.traced), 8 devices"
      Report.progress(name)
      try await Load.thread { [world] in
        for phone in world.phones { try phone.fillPool(world.pushing.connection()) }
      }
      lines += try await plan.contest("changes/s", side(name, mix, Self.traced, 8))
    }
    return lines
  }

  private func measure(_ size: Int, _ devices: Int, _ script: TraceScript?) async throws -> [Line] {
    let name = "push, batches of \(size), \(devices == 1 ? "1 device" : "\(devices) devices")"
    Report.progress(name)
    // One batch of documents into one table without row-level security, history, feed and answers. Each row has a text of
    // its own, which PostgreSQL reads as JSON.
    let document = world.pushing.creation(1, Fixture.user).replacing("test 1", with: "test #")
    let inserts = """
      insert into bench.change (id, data)
      select gen_random_uuid(), replace(:document::text, '#', n::text)::jsonb from generate_series(1, :size) n;

      """
    let meters: [Meter?] = [.tree(world.server.postmaster), nil]
    func pgbench(_ script: String, _ user: String, _ variables: [String: String]) throws -> Sample {
      let (pgbench, seconds) = (Pgbench(server: world.server), plan.seconds)
      return try pgbench.run(script, seconds: seconds, user: user, clients: devices, units: size, variables)
    }
    var peers = [
      Side.rate("pgbench, jsonb inserts", meters) {
        try pgbench(inserts, "postgres", ["size": "\(size)", "document": document])
      }
    ]
    if let script {
      let side = Side.rate("pgbench, same statements", aim: .ratioAtLeast(0.5), meters) {
        try pgbench(script.text, "fettle_app", script.variables)
      }
      peers.append(side)
    }
    // Larger batches of several devices take Kinto minutes, because it refuses and repeats most of them.
    if size <= Self.traced {
      let options = ["batch": size, "clients": devices]
      peers += world.kinto("push", options, aim: script == nil ? nil : .ratioAtLeast(100))
    }
    let ours = side(name, .creates, size, devices, aim: script == nil ? nil : .atLeast(12_000))
    return try await plan.contest("changes/s", ours, beside: peers)
  }

  /// Traces pushes, and requires that the script stores answers, history and feed entries as a push does.
  private func script() async throws -> TraceScript {
    let (member, server, device) = (world.pushing, world.server, 9_000_000)
    let company = Fixture.id(member.company)
    // The digits with which the numbers of a traced push and of the created entries begin.
    let digits = ["7123456", "8123456"]
    try await member.register((0..<8).map { Fixture.id(device + $0) })
    _ = try await server.withConnection { superuser in
      try await superuser.execute(
        """
        insert into core.number_series (company_id, record_type, reserved)
        values (\(company), 'maintenance.entry', \(digits[1] + "099")::text::bigint)
        on conflict (company_id, record_type) do update set reserved = excluded.reserved
        """
      )
    }
    let trace = try await Trace.of(server) { database in
      let api = try await APICaller(server, database, member.authorization)
      return { number in
        let changes = (0..<Self.traced).map { member.creation(7_123_456_000 + Int64(number * 400 + $0)) }
        let mutations = changes.joined(separator: ",")
        let body = "{\"device_id\":\"\(Fixture.id(device).text)\",\"mutations\":[\(mutations)]}"
        try await api.send(.post, "/v1/sync/push", body)
      }
    }
    let script = try await TraceScript(trace, server, TraceScript.Marks(device: device, digits: digits))
    let count: SQL = """
      select (select count(*) from core.sync_item i where i.company_id = \(company) and i.status = 'synced')
        + (select count(*) from core.feed f where f.company_id = \(company) and f.op = 'put')
        + (select count(*) from core.history h where h.company_id = \(company))
      """
    try await server.withConnection { superuser in
      let before = try await superuser.value(count, as: Int.self)
      let pgbench = Pgbench(server: server)
      _ = try pgbench.run(script.text, seconds: nil, transactions: 2, clients: 1, script.variables)
      let added = try await superuser.value(count, as: Int.self) - before
      guard added == 6 * Self.traced else { throw Failure("two runs of the script store \(added) rows") }
    }
    return script
  }

  private func side(_ name: String, _ mix: SyncPhone.Mix, _ size: Int, _ devices: Int, aim: Aim? = nil)
    -> Side
  {
    let (member, phones) = (world.pushing, world.phones)
    return .rate(name, aim: aim, world.meters) {
      try await Load.threads(devices, seconds: plan.seconds) { caller in
        let connection = try member.connection()
        return { try phones[caller].push(size, mix, connection) }
      }
    }
  }

  /// Measures the time of a push of one change, beside a transaction that inserts one row, and beside Kinto.
  func single() async throws -> [Line] {
    let (member, phone, samples) = (world.pushing, world.phones[0], world.samples)
    var rounds: [[[Double]]] = []
    for _ in 0..<plan.rounds {
      rounds.append(
        try await world.server.withConnection { superuser in
          // Requests and transactions alternate on the thread of the connection.
          try await superuser.session { session in
            let connection = try member.connection()
            try phone.push(1, .creates, connection)
            var times: [[Double]] = [[], []]
            for _ in 0..<samples {
              try times[0].time { _ = try phone.push(1, .creates, connection) }
              try times[1].time { _ = try session.execute("insert into bench.bare default values") }
            }
            return times
          }
        }
      )
    }
    var lines = [("p50", 0.5, Aim.above(2)), ("p99", 0.99, .atMost(10))].map { name, share, aim in
      let values = (0...1).map { side in rounds.map { Reading($0[side].percentile(share)) } }
      var line = Line(name: "push of one change, \(name)", unit: "ms", ours: values[0], aim: aim)
      (line.peer, line.theirs) = ("insert of one row", values[1])
      return line
    }
    if let kinto = try await world.kinto("single").first?.measure() {
      lines.append(Line(name: lines[0].name, unit: "ms", ours: lines[0].ours, peer: "kinto", theirs: [kinto]))
    }
    return lines
  }
}
