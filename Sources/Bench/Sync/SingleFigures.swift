internal import FoundationEssentials
internal import Postgres

/// Measures the time of a push of one change, beside a transaction that inserts one row, and beside Kinto.
struct SingleFigures {
  let world: SyncWorld
  let kinto: KintoServer?

  private struct Round: Sendable {
    var push = Latencies()
    var commit = Latencies()
    var kinto = Latencies()
  }

  func measure() async throws -> [SyncLine] {
    let (member, phone) = (world.pushing, world.phones[0])
    let (kinto, samples) = (kinto, world.plan.samples)
    var rounds: [Round] = []
    for _ in 0..<world.plan.rounds {
      let round = try await world.server.withConnection { superuser in
        // Requests and transactions alternate on the thread of the connection.
        try await superuser.session { session in
          let connection = try member.connection()
          let other = try kinto.map { KintoPhone(connection: try $0.connection()) }
          try phone.push(1, .creates, connection)
          var round = Round()
          for _ in 0..<samples {
            try round.push.measure { _ = try phone.push(1, .creates, connection) }
            try round.commit.measure { _ = try session.execute("insert into bench.bare default values") }
            if let other { try round.kinto.measure { try other.create(UUID()) } }
          }
          return round
        }
      }
      rounds.append(round)
    }
    var lines = [
      line("p50", rounds.map(\.push.p50), "insert of one row", rounds.map(\.commit.p50), .above(2)),
      line("p99", rounds.map(\.push.p99), "insert of one row", rounds.map(\.commit.p99), .atMost(10)),
    ]
    if kinto != nil {
      lines.append(line("p50", rounds.map(\.push.p50), KintoServer.name, rounds.map(\.kinto.p50), nil))
    }
    return lines
  }

  private func line(
    _ name: String,
    _ ours: [Double],
    _ peer: String,
    _ theirs: [Double],
    _ target: SyncLine.Target?
  ) -> SyncLine {
    SyncLine(
      name: "push of one change, \(name)",
      unit: "ms",
      ours: ours,
      peer: peer,
      theirs: theirs,
      target: target
    )
  }
}
