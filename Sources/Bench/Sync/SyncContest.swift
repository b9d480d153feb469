/// A comparison of several ways to do the same work, measured in alternation.
struct SyncContest {
  /// The result of one measurement of one side.
  struct Reading {
    let value: Double
    /// The CPU time of PostgreSQL per unit in microseconds; NaN if unknown.
    var database = Double.nan
    /// The CPU time of the server in front of it per unit in microseconds; NaN if unknown.
    var program = Double.nan
  }

  /// One way to do the work.
  struct Side {
    let name: String
    /// The bound of Fettle beside this side; nil for none.
    var target: SyncLine.Target?
    let measure: () async throws -> Reading
  }

  /// Fettle.
  let ours: Side
  let peers: [Side]

  /// Measures each side once per round, and returns a line for each peer. Every other round runs in reverse order, so
  /// that no side is always the first.
  ///
  /// - Parameters:
  ///   - absolute: the bound of Fettle's own value, for the first line; the peers' bounds follow.
  func run(rounds: Int, unit: String, absolute: SyncLine.Target? = nil) async throws -> [SyncLine] {
    let sides = [ours] + peers
    var readings = [[Reading]](repeating: [], count: sides.count)
    for round in 0..<rounds {
      for index in round.isMultiple(of: 2) ? Array(sides.indices) : sides.indices.reversed() {
        readings[index].append(try await sides[index].measure())
      }
    }
    let own = readings[0]
    var lines: [SyncLine] = []
    if absolute != nil || peers.isEmpty {
      var line = SyncLine(name: ours.name, unit: unit, ours: own.map(\.value), target: absolute)
      line.database.ours = own.map(\.database).median
      line.program.ours = own.map(\.program).median
      lines.append(line)
    }
    for (index, peer) in peers.enumerated() {
      let theirs = readings[index + 1]
      lines.append(
        SyncLine(
          name: ours.name,
          unit: unit,
          ours: own.map(\.value),
          peer: peer.name,
          theirs: theirs.map(\.value),
          target: peer.target,
          database: (own.map(\.database).median, theirs.map(\.database).median),
          program: (own.map(\.program).median, theirs.map(\.program).median)
        )
      )
    }
    return lines
  }
}
