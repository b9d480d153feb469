/// Decides how many lanes a claim takes from, and the size of each batch: fewer lanes and longer
/// batches where lanes are long, since claiming from a lane costs as much as about ten jobs.
///
/// A value without a clock or a database, so that its rules can be tested for themselves.
struct BatchWidth: Sendable {
  /// At least, if there are so many, so that a company with a long lane does not keep the others waiting.
  private static let fewest = 8
  /// At most, where lanes are short.
  private static let most = 100
  /// The smallest batch worth visiting a lane for; smaller only if fewer jobs are wanted.
  private static let fewestJobs = 20

  /// Of a claim of a thousand.
  private(set) var lanes = 50
  /// Whether others were at the same lanes, so that it is better to take few at a time.
  private var isContended = false

  /// How many lanes to take for so many jobs.
  func lanes(for limit: Int) -> Int {
    let few = isContended ? lanes : Self.fewest
    return max(1, min(lanes, limit, max(few, limit * lanes / 1_000)))
  }

  /// How many jobs of each of so many lanes.
  func each(of lanes: Int, for limit: Int) -> Int {
    max(1, limit / max(1, lanes), min(Self.fewestJobs, limit / Self.fewest))
  }

  /// Learns from what a claim gave.
  ///
  /// - Parameters:
  ///   - jobs: how many jobs came of it.
  ///   - limit: how many were wanted.
  ///   - asked: of how many lanes.
  ///   - busy: how many of them somebody else was claiming from.
  mutating func learn(jobs: Int, limit: Int, asked: Int, busy: Int) {
    // To meet somebody now and then costs nothing: only that lane is left to him.
    guard busy * 10 < asked || busy == 0 else {
      isContended = true
      lanes = max(1, min(lanes, asked) / 2)
      return
    }
    if jobs * 10 >= limit * 9 {
      // Long lanes: there are enough in fewer, or, where others may be about, one more can be tried. Batches
      // of next to nothing say nothing of how long the lanes are.
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
