/// A comparison of ways to do the same work, measured in alternation.
struct Contest {
  /// One way to do the work, with its name in the table.
  struct Side {
    let name: String
    /// The minimum ratio to the peer; nil for none.
    var aim: Double?
    let measure: () async throws -> Sample
  }

  /// Fettle's sides; each is compared with ``peer``.
  let ours: [Side]
  let peer: Side

  /// Measures each side once per round, and returns a figure for each of ``ours``. Every other round runs in
  /// reverse order, so that no side is always the first.
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

/// The result of one measurement.
struct Sample: Sendable {
  /// The number of completed units of work.
  let units: Double
  /// The time that these units took.
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
  /// The minimum ratio; nil for none.
  let aim: Double?
  /// The CPU time of each side per unit of work, in microseconds, without the server.
  var cpu: (ours: Double, theirs: Double)?

  /// Ours divided by theirs, per round; if theirs was measured only once, that measurement is used for all
  /// rounds.
  var ratios: [Double] {
    theirs.count == 1 ? ours.map { $0 / theirs[0] } : zip(ours, theirs).map { $0 / $1 }
  }
}

extension [Double] {
  /// The middle value, or the mean of the two middle values.
  var median: Double {
    guard !isEmpty else { return .nan }
    let sorted = self.sorted()
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
  }
}
