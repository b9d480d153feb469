/// Respells command lines so that negative numbers are values. The argument parser treats every word that
/// begins with a dash as an option.
package enum NegativeNumbers {
  /// Returns spellings of the words in which negative numbers are values, best first; empty if there is no
  /// negative number.
  ///
  /// A number after an option is joined to the option (`--latitude=-33.8`). A positional number moves to the
  /// end, after `--`.
  package static func spellings(of words: [String]) -> [[String]] {
    let end = words.firstIndex(of: "--") ?? words.endIndex
    let positions = words.indices.filter { $0 > 0 && $0 < end && isNegativeNumber(words[$0]) }
    guard !positions.isEmpty else { return [] }
    let afterOption = positions.filter { isOption(words[$0 - 1]) }
    let joined = respelled(words, joining: Set(afterOption), moving: Set(positions).subtracting(afterOption))
    // The word before a number may be a flag, which takes no value, so another spelling joins none.
    let moved = respelled(words, joining: [], moving: Set(positions))
    return joined == moved ? [joined] : [joined, moved]
  }

  /// True if a word is a number such as `-5`, `-0.25` or `-1e3`.
  static func isNegativeNumber(_ word: String) -> Bool {
    word.hasPrefix("-")
      && (JSONText.isNumber(word) || JSONText.isNumber("-0" + word.dropFirst()) && word != "-")
  }

  private static func isOption(_ word: String) -> Bool {
    word.hasPrefix("--") && word.count > 2 && !word.contains("=")
  }

  private static func respelled(_ words: [String], joining: Set<Int>, moving: Set<Int>) -> [String] {
    var result: [String] = []
    var moved: [String] = []
    let end = words.firstIndex(of: "--") ?? words.endIndex
    for index in words.indices where index < end {
      if joining.contains(index) {
        result[result.count - 1] += "=\(words[index])"
      } else if moving.contains(index) {
        moved.append(words[index])
      } else {
        result.append(words[index])
      }
    }
    let rest = moved + words[end...].dropFirst()
    return rest.isEmpty ? result : result + ["--"] + rest
  }
}
