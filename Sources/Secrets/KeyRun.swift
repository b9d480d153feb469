/// Runs of characters that need no thought: one character repeated, neighbours in the alphabet or among the digits,
/// and adjacent keys of a QWERTY keyboard. Two such runs may alternate, as in `q1w2e3`.
enum KeyRun {
  private static let shortest = 3

  /// Returns the ends of the runs that begin at a position.
  static func ends(from start: Int, in characters: [UInt32]) -> [Int] {
    let ends = [
      end(from: start, in: characters) { $0 == $1 },
      end(from: start, in: characters) { $0 + 1 == $1 },
      end(from: start, in: characters) { $0 == $1 + 1 },
      end(from: start, in: characters, while: areAdjacent),
    ]
    let last = ends.max() ?? start
    let runs = last - start >= shortest ? Array(start + shortest...last) : []
    return runs + alternatingEnds(from: start, in: characters)
  }

  private static func alternatingEnds(from start: Int, in characters: [UInt32]) -> [Int] {
    var end = start + 2
    var directions = [Directions.all, .all]
    while end < characters.count {
      let kept = directions[end % 2].intersection(Directions(characters[end - 2], characters[end]))
      guard !kept.isEmpty else { break }
      directions[end % 2] = kept
      end += 1
    }
    let first = start + 2 * shortest
    return end >= first ? Array(first...end) : []
  }

  /// The ways from a character to the next one of its run.
  private struct Directions: OptionSet {
    let rawValue: UInt8

    static let all = Directions(rawValue: .max)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ first: UInt32, _ second: UInt32) {
      var value: UInt8 = 0
      if first == second { value |= 1 }
      if first + 1 == second { value |= 2 }
      if first == second + 1 { value |= 4 }
      if let a = keys[first], let b = keys[second], a.row == b.row {
        if a.column + 1 == b.column { value |= 8 }
        if a.column == b.column + 1 { value |= 16 }
      }
      rawValue = value
    }
  }

  private static func end(
    from start: Int,
    in characters: [UInt32],
    while continues: (UInt32, UInt32) -> Bool
  ) -> Int {
    var end = start + 1
    while end < characters.count, continues(characters[end - 1], characters[end]) { end += 1 }
    return end
  }

  private static func areAdjacent(_ first: UInt32, _ second: UInt32) -> Bool {
    guard let a = keys[first], let b = keys[second] else { return false }
    if a.row == b.row { return abs(a.column - b.column) == 1 }
    let (upper, lower) = a.row < b.row ? (a, b) : (b, a)
    // Each row is half a key to the right of the one above.
    return lower.row - upper.row == 1 && [0, 1].contains(upper.column - lower.column)
  }

  private static let keys: [UInt32: (row: Int, column: Int)] = {
    var keys: [UInt32: (row: Int, column: Int)] = [:]
    for (row, text) in ["1234567890-=", "qwertyuiop[]", "asdfghjkl;'", "zxcvbnm,./"].enumerated() {
      for (column, character) in text.unicodeScalars.enumerated() {
        keys[character.value] = (row, column)
      }
    }
    return keys
  }()
}
