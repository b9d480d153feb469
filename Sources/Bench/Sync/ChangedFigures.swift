internal import FoundationEssentials
internal import Postgres

/// Measures the pull of 100 changed records of many, beside Kinto.
struct ChangedFigures {
  let world: SyncWorld
  let kinto: KintoServer?

  private static let changes = 100

  func measure() async throws -> [SyncLine] {
    try await kinto?.fill(world.plan.records)
    let member = world.pulling
    let (samples, kinto) = (world.plan.samples, kinto)
    let ours = SyncContest.Side(name: "pull of 100 changes of \(world.plan.records), p50") {
      let phone = try await SyncPhone.register(1, of: member)[0]
      let times = try await world.server.withConnection { superuser in
        let ids = try await superuser.rows(
          "select e.id from maintenance.entry e where e.company_id = \(member.company)",
          UUID.self
        )
        return try await superuser.session { session in
          let reader = SyncReader(phone.id, try member.connection())
          try reader.drain()
          var times = Latencies()
          for _ in 0..<samples {
            let changed = (0..<Self.changes * 2).compactMap { _ in ids.randomElement() }
            try session.execute(Self.change(Array(Set(changed).prefix(Self.changes)), member.company))
            let page = try times.measure { try reader.page() }
            guard page.body.occurrences(of: "\"op\":\"put\"") == Self.changes else {
              throw Tool.Failure(description: "a page has other changes than the 100 that were made")
            }
          }
          return times
        }
      }
      return SyncContest.Reading(value: times.p50)
    }
    var peers: [SyncContest.Side] = []
    if let kinto {
      peers.append(
        SyncContest.Side(name: KintoServer.name) {
          var times = Latencies()
          var since = try await kinto.stamp()
          for _ in 0..<max(10, samples / 4) {
            try await kinto.change(Self.changes)
            let stamp = since
            let (next, time) = try await Callers.run {
              let reader = KintoReader(try kinto.connection(), of: KintoServer.pulled, since: stamp)
              var time = Latencies()
              let pages = try time.measure { try reader.pull() }
              guard pages.reduce(0, { $0 + $1.occurrences(of: "\"last_modified\"") }) == Self.changes else {
                throw Tool.Failure(description: "Kinto told other changes than the 100 that were made")
              }
              return (reader.since ?? stamp, time)
            }
            since = next
            times.append(time)
          }
          return SyncContest.Reading(value: times.p50)
        }
      )
    }
    return try await SyncContest(ours: ours, peers: peers)
      .run(rounds: world.plan.rounds, unit: "ms", absolute: .atMost(1.5))
  }

  /// Moves entries to the end of the feed, as an update of each does.
  private static func change(_ ids: [UUID], _ company: UUID) -> SQL {
    """
    update core.feed f
    set seq = (select max(m.seq) from core.feed m where m.company_id = \(company)) + c.n, changed_at = now()
    from unnest(\(ids)) with ordinality c (id, n)
    where f.company_id = \(company) and f.scope = 'maintenance.entry' and f.record_id = c.id
    """
  }
}
