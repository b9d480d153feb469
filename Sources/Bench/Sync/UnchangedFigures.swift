internal import API
internal import Domain
internal import FoundationEssentials

/// Measures a pull when nothing is new: over HTTP, beside Kinto, and the part of it without HTTP.
struct UnchangedFigures {
  let world: SyncWorld
  let kinto: KintoServer?

  func measure() async throws -> [SyncLine] {
    try await kinto?.fill(world.plan.records)
    let member = world.pulling
    let phone = try await SyncPhone.register(1, of: member)[0]
    let samples = world.plan.samples
    let cursor = try await Callers.run {
      let reader = SyncReader(phone.id, try member.connection())
      try reader.drain()
      return reader.cursor ?? ""
    }
    let path = "/v1/sync/changes?device=\(phone.id.text)&cursor=\(cursor)"
    let served = SyncContest.Side(name: "pull of nothing new over HTTP, p50") {
      let times = try await Callers.run {
        let connection = try member.connection()
        var times = Latencies()
        _ = try connection.require("GET", path)
        for _ in 0..<samples { _ = try times.measure { try connection.require("GET", path) } }
        return times
      }
      return SyncContest.Reading(value: times.p50)
    }
    var peers: [SyncContest.Side] = []
    if let kinto {
      let stamp = try await kinto.stamp()
      peers.append(
        SyncContest.Side(name: KintoServer.name) {
          let times = try await Callers.run {
            let reader = KintoReader(try kinto.connection(), of: KintoServer.pulled, since: stamp)
            var times = Latencies()
            _ = try reader.pull()
            for _ in 0..<samples { _ = try times.measure { try reader.pull() } }
            return times
          }
          return SyncContest.Reading(value: times.p50)
        }
      )
    }
    let rounds = world.plan.rounds
    let lines = try await SyncContest(ours: served, peers: peers).run(rounds: rounds, unit: "ms")
    return try await lines + withoutHTTP(path)
  }

  /// Measures the same request in this process: the route with its transaction, without HTTP.
  private func withoutHTTP(_ path: String) async throws -> [SyncLine] {
    let samples = world.plan.samples
    return try await world.server.withConnection(as: "fettle_app") { database in
      let api = try await SyncAPI(database, world.server, authorization: world.pulling.authorization)
      _ = try await api.send(.get, path)
      let side = SyncContest.Side(name: "pull of nothing new, server time, p50") {
        var times = Latencies()
        for _ in 0..<samples { try await times.measure { try await api.send(.get, path) } }
        return SyncContest.Reading(value: times.p50)
      }
      return try await SyncContest(ours: side, peers: [])
        .run(rounds: world.plan.rounds, unit: "ms", absolute: .atMost(0.3))
    }
  }
}
