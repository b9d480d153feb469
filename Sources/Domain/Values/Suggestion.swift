/// Suggests the intended word for a mistyped one.
package enum Suggestion {
  /// Returns the closest candidate, or nil if none is close enough.
  ///
  /// Close enough means at most one edit per three characters of the longer word: a character replaced,
  /// removed, added, or swapped with its neighbour. Case is ignored. Words of more than 100 characters are
  /// never close.
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

  /// Returns the number of edits between two words; a swap counts as one (optimal string alignment).
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
