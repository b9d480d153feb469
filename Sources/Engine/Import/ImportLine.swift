internal import Domain
internal import FoundationEssentials
internal import Store

/// A valid line of an import file.
struct ImportLine {
  let line: Int
  /// The checked texts of the cells, in the order of ``ImportReader/targets``; nil for an empty cell.
  let cells: [String?]
  let unread: [UnreadValue]
  /// The texts of the mapped cells as they are in the file.
  let raw: [String]
  /// The texts with the stated meanings of words, and lists in JSON.
  let texts: [String]
  /// The local times of cells without an offset, as if they were in UTC.
  let localTimes: [Instant]
  /// The id of the record; nil if the line has none.
  let id: UUID?
  /// The record's version when the file was written; nil if the line has none.
  let version: Int64?
  /// The status of the record; nil if the line has none.
  let status: String?
  /// The texts under the headings that say a reference again, in the order of ``ImportMapping/echoes``.
  let echoes: [String]
  /// The digest of the whole line.
  let digest: LineDigest?
  /// The bytes of the line for the file of refused lines.
  let source: [UInt8]

  init(
    line: Int,
    cells: [String?],
    unread: [UnreadValue],
    raw: [String],
    texts: [String]? = nil,
    localTimes: [Instant] = [],
    id: UUID? = nil,
    version: Int64? = nil,
    status: String? = nil,
    echoes: [String] = [],
    digest: LineDigest? = nil,
    source: [UInt8]
  ) {
    self.line = line
    self.cells = cells
    self.unread = unread
    self.raw = raw
    self.texts = texts ?? raw
    self.localTimes = localTimes
    self.id = id
    self.version = version
    self.status = status
    self.echoes = echoes
    self.digest = digest
    self.source = source
  }

  /// The time of creation; nil if the line has none.
  func created(among targets: [ImportMapping.Target]) throws(DomainError) -> Instant? {
    guard let index = targets.firstIndex(where: { $0.column.name == ImportedPast.creation }),
      let cell = cells[index]
    else { return nil }
    return try Instant(parsing: cell)
  }

  /// True if the time of a column is a date without a time of day, or is not in the line.
  func isDay(_ column: String, among targets: [ImportMapping.Target]) -> Bool {
    guard let index = targets.firstIndex(where: { $0.column.name == column }) else { return true }
    return WrittenDate(parsing: texts[index].trimmingSpaces())?.isDay ?? false
  }

  /// Returns the value of a cell for a field of its column; nil for an empty cell.
  func value(_ index: Int, of column: Column) -> JSONValue? {
    cells[index].map { cell in
      // The checked text of a list or a document is in PostgreSQL's format.
      column.kind.isDocument ? column.kind.json(texts[index].trimmingSpaces()) : .string(cell)
    }
  }
}
