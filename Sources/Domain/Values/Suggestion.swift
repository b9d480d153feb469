/// Finds the word that was probably meant by a misspelt one.
package enum Suggestion {
  /// Returns the closest candidate; nil if none is close.
  ///
  /// A candidate is close with at most one edit per three characters of the longer word; one edit is always
  /// allowed. An edit replaces, removes or adds a character, or swaps two neighbours. Case is ignored. A word
  /// of more than 100 characters is never close.
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

  /// Returns the number of edits between two words, in which a swap counts as one (optimal string alignment).
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
