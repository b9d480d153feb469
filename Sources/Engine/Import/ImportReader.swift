internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// A line of an import file that can be taken.
struct ImportLine {
  let line: Int
  /// Column of the type (or reference) to the cell's text, in the order of ``ImportReader/columns``.
  let cells: [String?]
  let unread: [UnreadValue]
  /// The cells as they stand in the file.
  let raw: [String]
  private let bytes: [UInt8]

  init(line: Int, cells: [String?], unread: [UnreadValue], raw: [String], bytes: [UInt8]) {
    self.line = line
    self.cells = cells
    self.unread = unread
    self.raw = raw
    self.bytes = bytes
  }

  /// The line as it stands in the file.
  var source: String { String(decoding: bytes, as: UTF8.self) }
}

/// Reads an import file line by line and checks every cell against the type, without a database.
struct ImportReader {
  /// What a heading fills.
  enum Target {
    case column(Column)
    /// A record of another type that the cell names.
    case reference(RecordReference, Column)

    var column: Column {
      switch self {
      case .column(let column), .reference(_, let column): column
      }
    }
  }

  private let type: RecordType
  private let plan: ImportPlan
  private let path: String
  /// What the mapped headings fill, in the order of the mapping.
  let targets: [Target]
  private let readers: [CellReader]

  /// - Throws: `unknown_fields` when the mapping names a column that the type does not have.
  init(type: RecordType, plan: ImportPlan, path: String) throws {
    self.type = type
    self.plan = plan
    self.path = path
    targets = try plan.mapping.map { try Self.target($0.column, type) }
    readers = targets.map { CellReader(column: $0.column) }
  }

  /// What a column's name in a mapping means: a column that may be written, or a reference by its bare name.
  static func target(_ name: String, _ type: RecordType) throws -> Target {
    let definition = type.definition
    if let reference = definition.references.first(where: { $0.column == name || $0.column == "\(name)_id" }),
      let column = type.column(reference.column)
    {
      return .reference(reference, column)
    }
    if definition.creatable.contains(name), let column = type.column(name) { return .column(column) }
    let closest = Suggestion.closest(to: name, among: definition.creatable)
    throw DomainError(
      .unknownFields,
      "\(type.name) has no field \(Quoted(name)) to import into",
      hint: closest.map { "did you mean \($0)?" } ?? "it has: \(definition.creatable.joined(separator: ", "))"
    )
  }

  /// Reads the whole file, handing on every line that can be taken and every one that cannot.
  func read(
    _ good: (ImportLine) throws -> Void,
    bad: (RefusedLine) throws -> Void,
    heading: (String) -> Void = { _ in }
  ) throws {
    var reader = CSVReader()
    var positions: [Int]?
    var width = 0
    func take(_ record: CSVRecord) throws {
      guard let positions else {
        heading(String(decoding: record.source, as: UTF8.self))
        width = record.fields.count
        positions = try locate(record.fields)
        return
      }
      do {
        guard record.fields.count == width else {
          throw DomainError(.invalidInput, "it has \(record.fields.count) fields, the heading has \(width)")
        }
        try good(try line(record, positions))
      } catch let error as DomainError where error.category == .invalid {
        let source = String(decoding: record.source, as: UTF8.self)
        try bad(RefusedLine(line: record.line, reason: error.message, source: source))
      }
    }
    do {
      try FileChunks(path: path).forEach { try reader.read($0, take) }
      try reader.finish(take)
    } catch let fault as CSVFault {
      throw DomainError(
        .invalidImport,
        "line \(fault.line): \(fault.reason)",
        details: ["line": .integer(fault.line)]
      )
    }
    if positions == nil { throw DomainError(.invalidImport, "the file is empty") }
  }

  private func locate(_ headings: [String]) throws -> [Int] {
    try plan.mapping.map { pair in
      if let index = headings.firstIndex(where: { $0.trimmingSpaces() == pair.heading }) { return index }
      let closest = Suggestion.closest(to: pair.heading, among: headings)
      throw DomainError(
        .invalidImport,
        "the file has no column \(Quoted(pair.heading))",
        hint: closest.map { "did you mean \($0)?" } ?? "it has: \(headings.joined(separator: ", "))"
      )
    }
  }

  private func line(_ record: CSVRecord, _ positions: [Int]) throws -> ImportLine {
    var cells: [String?] = []
    cells.reserveCapacity(positions.count)
    var unread: [UnreadValue] = []
    for (index, position) in positions.enumerated() {
      let text = record.fields[position]
      let column = readers[index].column
      if case .reference = targets[index] {
        let name = text.trimmingSpaces()
        cells.append(name.isEmpty ? nil : name)
      } else {
        do throws(DomainError) {
          cells.append(try readers[index].read(text))
        } catch {
          // A required value refuses the line; an optional one stays empty, and is told.
          guard column.isNullable, !plan.isStrict else {
            throw DomainError(.invalidInput, "\(column.name): \(error.message)")
          }
          unread.append(UnreadValue(line: record.line, column: column.name, text: text))
          cells.append(nil)
        }
      }
      if cells.last == .some(nil), !column.isNullable, !column.hasDefault {
        throw DomainError(.missingFields, "\(column.name) is missing")
      }
    }
    return ImportLine(
      line: record.line,
      cells: cells,
      unread: unread,
      raw: positions.map { record.fields[$0] },
      bytes: record.source
    )
  }
}
