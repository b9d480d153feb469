internal import Domain
internal import FoundationEssentials
internal import Store

/// Reads an import file line by line and checks every cell against the type, without a database.
struct ImportReader {
  private let type: RecordType
  private let plan: ImportPlan
  private let source: ImportSource
  private let readers: [CellReader]
  /// True if the rule of the type may compute a required value that a new record lacks.
  private let hasRule: Bool
  /// The mapping of the file's headings to columns.
  let mapping: ImportMapping

  /// The columns that the mapped headings fill, in the order of the headings.
  var targets: [ImportMapping.Target] { mapping.targets }

  /// - Throws: `unknown_fields` if the mapping, or the heading line in its place, names an unknown column;
  ///   `invalid_input` if a column is filled twice; `invalid_import` for a stream or an unreadable heading
  ///   line.
  init(type: RecordType, plan: ImportPlan, path: String, hasRule: Bool) throws {
    self.type = type
    self.hasRule = hasRule
    self.plan = plan
    try FileChunks(path: path).requireSeekable()
    source = ImportSource(plan.layout, path: path, names: ImportMapping.names(of: type))
    mapping =
      plan.mapping.isEmpty
      ? try ImportMapping(headings: source.headings(), type)
      : try ImportMapping(plan.mapping, type)
    try mapping.requireDistinct(with: plan.fixed.map(\.column))
    readers = mapping.targets.map {
      CellReader(column: $0.column, limit: type.definition.limits[$0.column.name])
    }
  }

  /// Reads the whole file. Passes valid lines to `good` and refused ones to `bad`.
  @discardableResult
  func read(_ good: (ImportLine) throws -> Void, bad: (RefusedLine) throws -> Void) throws -> FileForm {
    try source.read(mapping) { row in
      do {
        if let fault = row.fault { throw DomainError(.invalidInput, fault) }
        try good(try line(row))
      } catch let error as DomainError where error.category == .invalid {
        try bad(RefusedLine(line: row.line, reason: error.message, code: error.code, source: row.source))
      }
    }
  }

  private func line(_ row: ImportRow) throws -> ImportLine {
    var cells: [String?] = []
    cells.reserveCapacity(row.cells.count)
    var unread: [UnreadValue] = []
    for (index, text) in row.cells.enumerated() {
      let column = readers[index].column
      if case .reference = targets[index] {
        let name = text.trimmingSpaces()
        cells.append(name.isEmpty ? nil : name)
      } else {
        do throws(DomainError) {
          cells.append(try readers[index].read(text))
        } catch {
          // An unreadable optional value stays empty and is reported. But a line that changes a record must
          // not clear its value, so it is refused.
          guard column.isNullable, !plan.isStrict, mapping.id == nil else {
            throw error.about(column.name)
          }
          unread.append(UnreadValue(line: row.line, column: column.name, text: text))
          cells.append(nil)
        }
      }
      if cells.last == .some(nil), column.needsValue, !hasRule || mapping.id != nil {
        throw DomainError(.missingFields, "\(column.name) is missing")
      }
    }
    return ImportLine(
      line: row.line,
      cells: cells,
      unread: unread,
      raw: row.cells,
      id: try row.id.map { text in
        guard let id = UUID(uuidString: text) else {
          throw DomainError(.invalidID, "id: \(Quoted(text)) is not an id")
        }
        return id
      },
      version: try row.version.map { text in
        guard let version = Int64(text) else {
          throw DomainError(.invalidNumber, "version: \(Quoted(text)) is not a version")
        }
        return version
      },
      status: row.status,
      source: row.source
    )
  }
}
