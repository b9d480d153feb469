internal import Domain
internal import FoundationEssentials
internal import Secrets

/// The identity of a line: ids derived from its source, which is the text of its mapped cells and never the
/// values that are read from them.
struct LineIdentity: Sendable {
  /// The id of the record that the line creates. It does not depend on the order of the columns, on blanks
  /// around cells or on empty cells.
  let id: UUID
  /// The id that imports derived earlier: from all mapped cells as written, in the order of the mapping. Nil if there
  /// was no earlier import.
  let former: UUID?
}

/// Derives the identities of lines.
///
/// The same file with the same mapping produces the same ids, so that a repeated import adds nothing. An
/// ordinal distinguishes equal lines, and the same line of another member makes another private record.
struct ImportIdentities {
  private let company: [UInt8]
  private let type: [UInt8]
  /// The owner of private records, as a part of ids; empty for records of the company.
  private let owner: [[UInt8]]
  /// The columns by name, with the positions of their cells.
  private let columns: [(name: [UInt8], index: Int)]
  /// True to derive the ids of earlier imports too.
  private let findsFormer: Bool
  private var seen: [[UInt8]: (count: Int, first: Int)] = [:]
  private var formerly: [[UInt8]: Int] = [:]

  /// - Parameter owner: the owner of private records; nil for records of the company.
  init(company: UUID, owner: UUID?, type: String, columns: [String], findsFormer: Bool) {
    self.company = Array(company.text.utf8)
    self.type = Array(type.utf8)
    self.owner = owner.map { [Array($0.text.utf8)] } ?? []
    self.findsFormer = findsFormer
    self.columns = columns.enumerated().sorted { $0.element < $1.element }.map { (Array($1.utf8), $0) }
  }

  /// Returns the identity of the next line of the file, and the number of the first line that equals it; nil if
  /// none does.
  mutating func next(_ line: ImportLine) -> (identity: LineIdentity, first: Int?) {
    var source: [UInt8] = []
    source.reserveCapacity(256)
    for column in columns {
      let cell = line.raw[column.index].trimmingSpaces()
      if cell.isEmpty { continue }
      source += column.name
      Self.append(cell, to: &source)
    }
    let key = SHA256.hash(source)
    let (ordinal, first) = seen[key, default: (count: 0, first: line.line)]
    seen[key] = (ordinal + 1, first)
    let identity = LineIdentity(
      id: id("fettle.import.line", key, ordinal, owner),
      former: findsFormer ? former(line) : nil
    )
    return (identity, ordinal == 0 ? nil : first)
  }

  private mutating func former(_ line: ImportLine) -> UUID {
    var source: [UInt8] = []
    for cell in line.raw { Self.append(cell, to: &source) }
    let key = SHA256.hash(source)
    let ordinal = formerly[key, default: 0]
    formerly[key] = ordinal + 1
    return id("fettle.import", key, ordinal, [])
  }

  private func id(_ namespace: String, _ key: [UInt8], _ ordinal: Int, _ owner: [[UInt8]]) -> UUID {
    UUID.deterministic(
      namespace: namespace,
      parts: [company, type, key, Array(String(ordinal).utf8)] + owner
    )
  }

  private static func append(_ cell: String, to source: inout [UInt8]) {
    source += String(cell.utf8.count).utf8
    source.append(UInt8(ascii: ":"))
    source += cell.utf8
  }
}
