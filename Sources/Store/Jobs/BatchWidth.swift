/// Decides how many lanes a claim takes from, and the size of each batch.
///
/// If lanes are long, a claim takes longer batches from fewer lanes, because claiming from a lane costs about
/// as much as ten jobs. A value without a clock or a database, so that its rules can be tested in isolation.
struct BatchWidth: Sendable {
  /// The minimum number of lanes without contention, so that a company with a long lane does not keep the
  /// others waiting.
  private static let fewest = 8
  /// The maximum number of lanes, for short lanes.
  private static let most = 100
  /// The minimum batch that is worth the cost of a lane. Claims of fewer than 160 jobs may take smaller ones.
  private static let fewestJobs = 20

  /// The number of lanes for a claim of at least 1,000 jobs.
  private(set) var lanes = 50
  /// True if other workers often claimed from the same lanes, so that it is better to take few lanes at a
  /// time.
  private var isContended = false

  /// Returns the maximum number of lanes for a claim of `limit` jobs.
  func lanes(for limit: Int) -> Int {
    let few = isContended ? lanes : Self.fewest
    return max(1, min(lanes, limit, max(few, limit * lanes / 1_000)))
  }

  /// Returns the maximum batch size for a claim of `limit` jobs from `lanes` lanes.
  func each(of lanes: Int, for limit: Int) -> Int {
    max(1, limit / max(1, lanes), min(Self.fewestJobs, limit / Self.fewest))
  }

  /// Adapts the width to the answer to a claim.
  ///
  /// - Parameters:
  ///   - jobs: the number of jobs claimed.
  ///   - limit: the number of jobs wanted.
  ///   - asked: the number of lanes requested.
  ///   - busy: the number of requested lanes that another worker was claiming from.
  mutating func learn(jobs: Int, limit: Int, asked: Int, busy: Int) {
    // An occasional conflict costs nothing: the lane is left to the other worker.
    guard busy * 10 < asked || busy == 0 else {
      isContended = true
      lanes = max(1, min(lanes, asked) / 2)
      return
    }
    if jobs * 10 >= limit * 9 {
      // Lanes are long, so fewer are enough. Under contention, one more lane can be tried instead. Tiny
      // batches say nothing about the length of lanes.
      if isContended, lanes < Self.fewest {
        lanes += 1
      } else if limit / max(1, asked) >= Self.fewestJobs {
        isContended = false
        lanes = max(Self.fewest, min(lanes, max(asked, Self.fewest)) * 3 / 4)
      }
    } else if jobs * 2 < limit, asked >= lanes(for: limit) {
      lanes = min(Self.most, lanes * 2)
    }
  }
}
