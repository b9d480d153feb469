internal import API
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Measures pulls of many records, of 100 changed ones, and of none.
struct PullFigures {
  let world: SyncWorld

  private static let changes = 100

  /// Measures the first pull of a new device, beside one `json_agg` of the same records, and beside Kinto.
  func first() async throws -> [Line] {
    let (member, records) = (world.pulling, world.records)
    func seconds(_ meters: [Meter?], _ body: () async throws -> Void) async throws -> Reading {
      let reading = try await Meter.read(meters) {
        try await Sample.timed {
          try await body()
          return records
        }
      }
      return Reading(Double(records) / reading.value, cpu: reading.cpu)
    }
    let ours = Side(name: "first pull of \(records) records") {
      try await seconds(world.meters) {
        let phone = try await SyncPhone.register(1, of: member)[0]
        let count = try await Load.thread { try SyncReader(phone.id, member.connection()).pull() }
        guard count >= records else { throw Failure("only \(count) records were pulled") }
      }
    }
    let company = Fixture.id(member.company)
    let all: SQL =
      "select json_agg(row_to_json(v))::text from maintenance.v_entry v where v.company_id = \(company)"
    let peer = Side(name: "one json_agg", aim: .ratioAtMost(2)) {
      try await world.server.withConnection(as: "fettle_app") { database in
        try await seconds([.tree(world.server.postmaster), nil]) {
          let options = TransactionOptions.inside(company, user: Fixture.user, readOnly: true)
          let text = try await database.transaction(options) { try $0.value(all, as: String.self) }
          guard text.utf8.count > records else { throw Failure("json_agg has no records") }
        }
      }
    }
    return try await world.plan.contest("s", ours, beside: [peer] + world.kinto("first"))
  }

  /// Measures the pull of 100 changed records of many, beside Kinto.
  func changed() async throws -> [Line] {
    let (member, samples) = (world.pulling, world.samples)
    let ours = Side.value("pull of 100 changes of \(world.records), p50", aim: .atMost(1.5)) {
      let phone = try await SyncPhone.register(1, of: member)[0]
      return try await world.server.withConnection { superuser in
        try await superuser.session { session in
          let reader = SyncReader(phone.id, try member.connection())
          try reader.pull()
          var times: [Double] = []
          for _ in 0..<samples {
            try session.execute(Self.change(in: member.company, of: world.records))
            let page = try times.time { try reader.page() }
            guard page.body.occurrences(of: "\"op\":\"put\"") == Self.changes else {
              throw Failure("a page has other changes than the 100 that were made")
            }
          }
          return times.percentile(0.5)
        }
      }
    }
    return try await world.plan.contest("ms", ours, beside: world.kinto("changed"))
  }

  /// Moves random entries to the end of the feed, as an update of each does.
  private static func change(in company: Int, of records: Int) -> SQL {
    var numbers: Set<Int> = []
    while numbers.count < changes { numbers.insert(Int.random(in: 1...records)) }
    let (id, ids) = (Fixture.id(company), numbers.map { Fixture.entry($0, of: company) })
    return """
      update core.feed f
      set seq = (select max(m.seq) from core.feed m where m.company_id = \(id)) + c.n, changed_at = now()
      from unnest(\(ids)) with ordinality c (id, n)
      where f.company_id = \(id) and f.scope = 'maintenance.entry' and f.record_id = c.id
      """
  }

  /// Measures a pull when nothing is new: over HTTP, beside Kinto, and the part of it without HTTP.
  func unchanged() async throws -> [Line] {
    let (member, samples) = (world.pulling, world.samples)
    let phone = try await SyncPhone.register(1, of: member)[0]
    let path = try await Load.thread {
      let reader = SyncReader(phone.id, try member.connection())
      try reader.pull()
      return reader.path
    }
    let served = Side.value("pull of nothing new over HTTP, p50") {
      try await Load.thread {
        let connection = try member.connection()
        var times: [Double] = []
        for _ in 0...samples { _ = try times.time { try connection.require("GET", path) } }
        return Array(times.dropFirst()).percentile(0.5)
      }
    }
    let inside = try await world.server.withConnection(as: "fettle_app") { database in
      let api = try await APICaller(world.server, database, member.authorization)
      // The same request in this process: the route with its transaction, without HTTP.
      let side = Side.value("pull of nothing new, server time, p50", aim: .atMost(0.3)) {
        var times: [Double] = []
        for _ in 0...samples {
          let start = ContinuousClock.now
          try await api.send(.get, path)
          times.append((ContinuousClock.now - start) / .milliseconds(1))
        }
        return Array(times.dropFirst()).percentile(0.5)
      }
      return try await world.plan.contest("ms", side)
    }
    return try await world.plan.contest("ms", served, beside: world.kinto("unchanged")) + inside
  }
}
