/// Recognises passwords that consist of parts that guessers try first.
///
/// A password is divided into parts in the cheapest way. Each part costs what a guesser pays for it, whatever its
/// length: a common word, a word of the context, a run of adjacent keys, a sequence, a year, or a repetition of the
/// part before it. Every other character costs by itself. This covers combinations that no list contains, and
/// leaves sentences alone.
package struct GuessablePassword: Sendable {
  /// The cost from which a password is accepted: that of six letters or twelve digits without a pattern.
  static let acceptedCost = 12
  /// The number of characters below which a word of the context is too short to count.
  private static let shortestWord = 3

  private let context: [[UInt32]]

  /// - Parameter context: texts that others know, such as names and addresses. Their words count.
  package init(context: [String]) {
    var words: Set<[UInt32]> = []
    for text in context + ["Fettle"] {
      let parts = Self.scalars(text).split { !Self.isAlphanumeric($0) }
      for word in parts.map(Array.init) + [parts.flatMap { $0 }] where word.count >= Self.shortestWord {
        words.insert(word)
      }
    }
    self.context = Array(words)
  }

  /// True if a password is easy to guess.
  package func matches(_ password: String) -> Bool {
    let characters = Self.scalars(password)
    return Self.repeatsShortText(characters) || cost(characters) < Self.acceptedCost
  }

  /// Returns the cost of the cheapest division into parts.
  private func cost(_ characters: [UInt32]) -> Int {
    let end = characters.count
    var best = [Int](repeating: .max, count: end + 1)
    best[0] = 0
    for start in 0..<end {
      let sofar = best[start]
      func reach(_ next: Int, for price: Int) { best[next] = min(best[next], sofar + price) }
      reach(start + 1, for: Self.price(of: characters[start]))
      for word in CommonWords.all {
        if Self.has(word, at: start, in: characters) { reach(start + word.count, for: 4) }
      }
      for word in context {
        if Self.has(word, at: start, in: characters) { reach(start + word.count, for: 2) }
      }
      for next in KeyRun.ends(from: start, in: characters) { reach(next, for: 2) }
      if Self.hasYear(at: start, in: characters) { reach(start + 4, for: 2) }
      for next in Self.repetitionEnds(from: start, in: characters) { reach(next, for: 2) }
    }
    return best[end]
  }

  /// A digit costs half as much as a letter, and the usual separators nothing.
  private static func price(of character: UInt32) -> Int {
    if separators.contains(character) { return 0 }
    return isDigit(character) ? 1 : 2
  }

  /// True for a text shorter than the shortest password that is written several times.
  private static func repeatsShortText(_ characters: [UInt32]) -> Bool {
    let text = characters.filter { !separators.contains($0) }
    let longest = min(PasswordHasher.acceptedLength.lowerBound - 1, text.count / 2)
    guard longest >= 1 else { return true }
    return (1...longest).contains { period in
      text.count % period == 0 && text.indices.dropFirst(period).allSatisfy { text[$0] == text[$0 - period] }
    }
  }

  /// Returns the ends of the parts that repeat the characters before them, forwards or backwards.
  private static func repetitionEnds(from start: Int, in characters: [UInt32]) -> [Int] {
    let longest = min(start, characters.count - start)
    guard longest >= 2 else { return [] }
    return (2...longest).filter { count in
      let (before, after) = (characters[start - count..<start], characters[start..<start + count])
      return before.elementsEqual(after) || before.reversed().elementsEqual(after)
    }.map { start + $0 }
  }

  /// True if a word begins at a position, also with digits and signs in the place of letters.
  private static func has(_ word: [UInt32], at start: Int, in characters: [UInt32]) -> Bool {
    guard characters.count - start >= word.count else { return false }
    return word.indices.allSatisfy { index in
      let written = characters[start + index]
      return written == word[index] || (substitutes[word[index]] ?? []).contains(written)
    }
  }

  private static func hasYear(at start: Int, in characters: [UInt32]) -> Bool {
    guard characters.count - start >= 4 else { return false }
    let digits = characters[start..<start + 4].map { Int($0) - 0x30 }
    guard digits.allSatisfy({ (0...9).contains($0) }) else { return false }
    return (1900...2039).contains(digits.reduce(0) { $0 * 10 + $1 })
  }

  static func scalars(_ text: String) -> [UInt32] { text.lowercased().unicodeScalars.map(\.value) }

  private static func isDigit(_ character: UInt32) -> Bool { (0x30...0x39).contains(character) }

  private static func isAlphanumeric(_ character: UInt32) -> Bool {
    guard let properties = Unicode.Scalar(character)?.properties else { return false }
    return properties.isAlphabetic || properties.numericType != nil
  }

  private static let separators = Set(scalars(" -_.,!?"))

  /// The characters that people write in the place of a letter.
  private static let substitutes: [UInt32: [UInt32]] = Dictionary(
    uniqueKeysWithValues: [
      ("a", "4@"), ("b", "8"), ("e", "3"), ("g", "9"), ("i", "1!"), ("l", "1!"), ("o", "0"), ("s", "5$"),
      ("t", "7"), ("z", "2"),
    ].map { (letter, signs) in (scalars(letter)[0], scalars(signs)) }
  )
}
