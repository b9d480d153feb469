/// Two or more ways to do the same work, measured in turns.
struct Contest {
  /// One way, and what it is called in the table.
  struct Side {
    let name: String
    /// The least ratio to the peer that is good enough, if there is one.
    var aim: Double?
    let measure: () async throws -> Sample
  }

  /// Ours, each of which is held against ``peer``.
  let ours: [Side]
  let peer: Side

  /// Measures every side once a round; every other round goes backwards, so that no side always goes first.
  func run(_ plan: Plan, unit: String) async throws -> [Figure] {
    let sides = ours + [peer]
    var measured = [[Double]](repeating: [], count: sides.count)
    var cpu = measured
    for round in 0..<plan.rounds {
      for index in round.isMultiple(of: 2) ? Array(sides.indices) : sides.indices.reversed() {
        let before = ProcessorTime.spent()
        let sample = try await sides[index].measure()
        measured[index].append(sample.perSecond)
        cpu[index].append((ProcessorTime.spent() - before) / sample.units)
      }
    }
    return ours.indices.map { index in
      Figure(
        name: ours[index].name,
        unit: unit,
        ours: measured[index],
        peer: peer.name,
        theirs: measured[ours.count],
        aim: ours[index].aim,
        cpu: (cpu[index].median, cpu[ours.count].median)
      )
    }
  }
}

/// What one measurement saw.
struct Sample: Sendable {
  /// How many units of work were done, and how long that took.
  let units: Double
  let seconds: Double

  var perSecond: Double { units / seconds }
}

/// One line of the table.
struct Figure: Sendable {
  let name: String
  let unit: String
  let ours: [Double]
  let peer: String
  let theirs: [Double]
  /// The least ratio that is good enough, if there is one.
  let aim: Double?
  /// Microseconds of processor time that each side's own process took for a unit of work, without the server's.
  var cpu: (ours: Double, theirs: Double)?

  /// Ours by theirs, of measurements that were made one after the other; where theirs is one for all, by that one.
  var ratios: [Double] {
    theirs.count == 1 ? ours.map { $0 / theirs[0] } : zip(ours, theirs).map { $0 / $1 }
  }
}

extension [Double] {
  /// The middle one, or the mean of the two in the middle.
  var median: Double {
    guard !isEmpty else { return .nan }
    let sorted = self.sorted()
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
  }
}
