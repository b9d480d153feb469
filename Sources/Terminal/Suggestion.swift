/// Guesses what somebody meant to type.
package enum Suggestion {
  /// The candidate closest to the text, or `nil` if none is close enough to be worth suggesting.
  ///
  /// Close enough is a third of the longer word's characters mistyped, left out, added or swapped; case does
  /// not count. Of several equally close ones the first is taken.
  package static func closest(to text: String, in candidates: some Sequence<String>) -> String? {
    let typed = Array(text.lowercased())
    var best: (candidate: String, distance: Int)?
    for candidate in candidates {
      let meant = Array(candidate.lowercased())
      let limit = max(1, max(typed.count, meant.count) / 3)
      // Lengths alone already tell most candidates apart, without the quadratic work.
      guard abs(typed.count - meant.count) <= limit else { continue }
      let distance = distance(typed, meant)
      if distance <= limit, distance < best?.distance ?? .max {
        best = (candidate, distance)
      }
    }
    return best?.candidate
  }

  /// The number of edits between two words, a swap of neighbours being one (optimal string alignment).
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var beforePrevious: [Int] = []
    var previous = Array(0...right.count)
    for row in left.indices {
      var current = [row + 1]
      for column in right.indices {
        var cost = previous[column] + (left[row] == right[column] ? 0 : 1)
        cost = min(cost, previous[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          cost = min(cost, beforePrevious[column - 1] + 1)
        }
        current.append(cost)
      }
      (beforePrevious, previous) = (previous, current)
    }
    return previous[right.count]
  }
}
