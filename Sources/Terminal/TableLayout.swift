/// The columns of a table that fit a terminal, their widths, and the lines of the heading.
///
/// Only sentences are cut, after a whole word, because a part of a name, number or code misleads. Findings and lists are
/// broken into lines instead. If that is not enough, columns are left out: those without a value, then those at the
/// right; the first one and findings always remain.
struct TableLayout {
  private static let gap = 2
  /// The minimum width of a cut sentence or a line of a list, and of a line of a finding, in columns.
  private static let narrowest = (cut: 12, wrapped: 20)

  /// The positions of the columns.
  let columns: [Int]
  /// The widths of these columns.
  let widths: [Int]
  let headings: [[String]]
  /// True if nothing is left out, cut or broken.
  let isWhole: Bool
  /// The positions of columns whose cells are broken into lines.
  let wrapped: Set<Int>

  /// - Parameter values: the lines of the cells by row and column.
  init(titles: [String], values: [[[String]]], _ table: Table, width: Int?) {
    let columns = table.columns
    let wrapped = Set(
      columns.indices.filter { index in
        columns[index].kind == .advice || table.rows.contains { $0[index].hasParts }
      }
    )
    self.wrapped = wrapped
    let longest = columns.indices.map { column in
      values.reduce(0) { max($0, $1[column].reduce(0) { max($0, DisplayText.width($1)) }) }
    }
    let natural = zip(titles, longest).map { max(DisplayText.width($0), $1) }
    guard let width, Self.sum(natural) > width else {
      (self.columns, widths, headings, isWhole) = (Array(columns.indices), natural, [titles], true)
      return
    }
    isWhole = false
    let words = titles.map(Self.longestWord)
    let whole = zip(words, longest).map { max($0, $1) }
    let least = columns.indices.map { index in
      let texts = values.map { $0[index].joined(separator: " ") }
      if wrapped.contains(index) {
        let word = texts.reduce(0) { max($0, Self.longestWord($1)) }
        // A finding always remains, so that a word of it may have to be broken.
        let isFinding = columns[index].kind == .advice
        let few = min(longest[index], isFinding ? Self.narrowest.wrapped : Self.narrowest.cut)
        return max(words[index], min(word, isFinding ? width / 2 : word), few)
      }
      guard columns[index].kind == .text, index > 0 else { return whole[index] }
      return max(words[index], Self.least(texts))
    }
    var kept = Array(columns.indices)
    func isTooWide() -> Bool { Self.sum(kept.map { least[$0] }) > width }
    if isTooWide(), !table.rows.isEmpty {
      kept.removeAll { index in
        index > 0 && columns[index].kind != .advice && table.rows.allSatisfy { $0[index] == .null }
      }
    }
    while isTooWide(),
      let last = kept.last(where: { $0 > 0 && columns[$0].kind != .advice })
    {
      kept.removeAll { $0 == last }
    }
    var fitted = kept.map { whole[$0] }
    var excess = Self.sum(fitted) - width
    while excess > 0,
      let widest = kept.indices.filter({ fitted[$0] > least[kept[$0]] }).max(by: { fitted[$0] < fitted[$1] })
    {
      fitted[widest] -= 1
      excess -= 1
    }
    self.columns = kept
    widths = fitted
    let lines = zip(kept, fitted).map { DisplayText.wrapped(titles[$0], to: $1) }
    let height = lines.map(\.count).max() ?? 1
    headings = (0..<height).map { row in
      // A heading with fewer lines is at the bottom, next to its values.
      lines.map { row < height - $0.count ? "" : $0[row - (height - $0.count)] }
    }
  }

  /// Returns the columns that do not fit.
  func left(of all: [Column]) -> [Column] {
    all.indices.filter { !columns.contains($0) }.map { all[$0] }
  }

  /// Returns the minimum width of a column of text: a sentence is cut after its first word or later, a single word is not.
  private static func least(_ texts: [String]) -> Int {
    texts.reduce(0) { least, text in
      let width = DisplayText.width(text)
      guard let space = text.firstIndex(of: " ") else { return max(least, width) }
      return max(least, min(width, max(narrowest.cut, DisplayText.width(String(text[..<space])) + 1)))
    }
  }

  private static func longestWord(_ text: String) -> Int {
    text.split(separator: " ").reduce(0) { max($0, DisplayText.width(String($1))) }
  }

  private static func sum(_ widths: [Int]) -> Int { widths.reduce(gap * (widths.count - 1), +) }
}

extension Cell {
  /// True for a list and for named values.
  fileprivate var hasParts: Bool {
    switch self {
    case .list, .nested: true
    default: false
    }
  }
}
