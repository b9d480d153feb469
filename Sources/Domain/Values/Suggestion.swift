/// Finds the name that a mistyped one probably stands for.
package enum Suggestion {
  /// The candidate nearest to a mistyped name; nil when none is near enough.
  ///
  /// Ignores case. Near enough is one edit in three letters; swapped neighbours count as one edit.
  package static func closest(to name: String, among candidates: some Sequence<String>) -> String? {
    let wanted = Array(name.lowercased())
    guard !wanted.isEmpty, wanted.count <= 100 else { return nil }
    var best: (candidate: String, distance: Int)?
    for candidate in candidates where candidate.count <= 100 {
      let distance = distance(from: wanted, to: Array(candidate.lowercased()))
      guard distance <= max(1, max(wanted.count, candidate.count) / 3) else { continue }
      if let found = best, (found.distance, found.candidate) <= (distance, candidate) { continue }
      best = (candidate, distance)
    }
    return best?.candidate
  }

  /// The number of insertions, deletions, replacements and swaps of neighbours that turn one into the other (optimal
  /// string alignment).
  private static func distance(from source: [Character], to target: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...target.count)
    for row in source.indices {
      var current = [row + 1]
      for column in target.indices {
        let isSame = source[row] == target[column]
        var cost = min(last[column] + (isSame ? 0 : 1), last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, source[row] == target[column - 1], source[row - 1] == target[column] {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      (beforeLast, last) = (last, current)
    }
    return last[target.count]
  }
}
