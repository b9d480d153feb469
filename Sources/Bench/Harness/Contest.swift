/// One way to do the work of a contest, with its name in the table.
struct Side {
  let name: String
  /// The bound of Fettle: on Fettle's side of its own value or beside every peer, on a peer's side beside that peer.
  var aim: Aim?
  /// True for a slow peer that is measured in the first round only.
  var isOnce = false
  /// Measures once; nil if this side cannot do the work.
  let measure: () async throws -> Reading?

  /// Creates a side whose value is a rate, with the CPU time of each meter per unit.
  static func rate(
    _ name: String,
    aim: Aim? = nil,
    _ meters: [Meter?] = [.own],
    _ measure: @escaping () async throws -> Sample
  ) -> Side {
    Side(name: name, aim: aim) { try await Meter.read(meters, measure) }
  }

  static func value(_ name: String, aim: Aim? = nil, _ measure: @escaping () async throws -> Double) -> Side {
    Side(name: name, aim: aim) { Reading(try await measure()) }
  }
}

/// Ways to do the same work, measured in alternation.
struct Contest {
  let unit: String
  /// Fettle's sides; each is compared with every peer.
  let ours: [Side]
  let peers: [Side]

  /// Measures each side once per round, and returns a line for each of ``ours`` and each peer. A bound of Fettle's own value
  /// is in a line of its own if several peers follow.
  func run(_ rounds: Int) async throws -> [Line] {
    let measured = try await Self.alternate(rounds, ours + peers) { side, round in
      side.isOnce && round > 0 ? nil : try await side.measure()
    }.map { $0.compactMap(\.self) }
    let others = peers.indices.filter { !measured[ours.count + $0].isEmpty }
    return ours.indices.flatMap { own -> [Line] in
      let line = Line(name: ours[own].name, unit: unit, ours: measured[own], aim: ours[own].aim)
      let hasOwnLine =
        line.aim?.isRelative == false && (others.count > 1 || others.contains { peers[$0].aim != nil })
      return (others.isEmpty || hasOwnLine ? [line] : [])
        + others.map { peer in
          var line = line
          (line.peer, line.theirs) = (peers[peer].name, measured[ours.count + peer])
          line.aim = peers[peer].aim ?? (hasOwnLine ? nil : line.aim)
          return line
        }
    }
  }

  /// Runs a body for each side once per round. Every other round runs in reverse order, so that no side is always the first.
  ///
  /// - Returns: the values of each side by round.
  static func alternate<Way, Value>(
    _ rounds: Int,
    _ sides: [Way],
    _ measure: (Way, Int) async throws -> Value
  ) async throws -> [[Value]] {
    var values = [[Value]](repeating: [], count: sides.count)
    for round in 0..<rounds {
      for index in round.isMultiple(of: 2) ? Array(sides.indices) : sides.indices.reversed() {
        values[index].append(try await measure(sides[index], round))
      }
    }
    return values
  }
}
