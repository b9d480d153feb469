internal import FoundationEssentials
internal import Postgres
internal import Store

/// Measures the first pull of a new device, beside one `json_agg` of the same records, and beside Kinto.
struct FirstPullFigures {
  let world: SyncWorld
  let kinto: KintoServer?

  private var records: Int { world.plan.records }

  func measure() async throws -> [SyncLine] {
    try await kinto?.fill(records)
    let member = world.pulling
    let (web, records) = (world.web, records)
    let ours = SyncContest.Side(name: "first pull of \(records) records") {
      let phone = try await SyncPhone.register(1, of: member)[0]
      return try await time(program: Int(web.process.pid)) {
        try await Callers.run {
          let connection = try member.connection()
          let count = try SyncReader(phone.id, connection).drain()
          guard count >= records else { throw Tool.Failure(description: "only \(count) records were pulled") }
        }
      }
    }
    var peers = [
      SyncContest.Side(name: "one json_agg", target: .ratioAtMost(2)) {
        try await world.server.withConnection(as: "fettle_app") { database in
          try await time(program: nil) {
            let text = try await database.transaction(
              .inside(member.company, user: member.user, readOnly: true)
            ) { tx in
              try tx.value(
                """
                select json_agg(row_to_json(v))::text from maintenance.v_entry v
                where v.company_id = \(member.company)
                """,
                as: String.self
              )
            }
            guard text.utf8.count > records else {
              throw Tool.Failure(description: "json_agg has no records")
            }
          }
        }
      }
    ]
    if let kinto {
      peers.append(
        SyncContest.Side(name: KintoServer.name) {
          try await time(program: Int(kinto.process.pid)) {
            try await Callers.run {
              let pages = try KintoReader(try kinto.connection(), of: KintoServer.pulled).pull()
              let count = pages.reduce(0) { $0 + $1.occurrences(of: "\"last_modified\"") }
              guard count >= records else {
                throw Tool.Failure(description: "only \(count) records were got")
              }
            }
          }
        }
      )
    }
    return try await SyncContest(ours: ours, peers: peers).run(rounds: world.plan.rounds, unit: "s")
  }

  /// Measures the seconds of a body, and the CPU time per record.
  private func time(program: Int?, _ body: () async throws -> Void) async throws -> SyncContest.Reading {
    var seconds = 0.0
    var reading = try await world.rate(program: program) {
      let start = ContinuousClock.now
      try await body()
      seconds = (ContinuousClock.now - start) / .seconds(1)
      return Sample(units: Double(records), seconds: seconds)
    }
    reading = SyncContest.Reading(value: seconds, database: reading.database, program: reading.program)
    return reading
  }
}
