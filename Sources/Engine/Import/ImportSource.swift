internal import Domain
internal import FoundationEssentials
internal import Store

/// One line of an import file, split but not yet judged.
struct ImportRow {
  let line: Int
  /// The texts of the mapped headings, in their order; nothing is an empty text.
  var cells: [String] = []
  var id: String?
  var version: String?
  var status: String?
  /// Why the line is none, if so.
  var fault: String?
  let bytes: [UInt8]
}

/// A file of records in either format.
struct ImportSource {
  private let format: ImportPlan.Format
  private let path: String

  init(_ format: ImportPlan.Format, path: String) {
    self.format = format
    self.path = path
  }

  /// The headings of a CSV file, or the names in the first line of JSON.
  func headings() throws -> [String] {
    var found: [String]?
    do {
      try each { record in
        found = record.fields
        throw Enough()
      } json: { object, _, _, _ in
        found = object.keys
        throw Enough()
      }
    } catch is Enough {}
    guard let found else { throw DomainError(.invalidImport, "the file is empty") }
    return found
  }

  /// Hands on every line.
  ///
  /// - Throws: `invalid_import` when the file as a whole cannot be read.
  func read(_ mapping: ImportMapping, _ body: (ImportRow) throws -> Void) throws {
    var places: Places?
    var width = 0
    var hasLines = false
    try each { record in
      hasLines = true
      guard let places else {
        width = record.fields.count
        places = try Places(mapping, among: record.fields)
        return
      }
      var row = ImportRow(line: record.line, bytes: record.source)
      if record.fields.count == width {
        row.cells = places.cells.map { Self.restored(record.fields[$0]) }
        row.id = Self.present(places.id.map { record.fields[$0] })
        row.version = Self.present(places.version.map { record.fields[$0] })
        row.status = Self.present(places.status.map { record.fields[$0] })
      } else {
        row.fault = "it has \(record.fields.count) fields, the heading has \(width)"
      }
      try body(row)
    } json: { object, line, bytes, fault in
      hasLines = true
      var row = ImportRow(line: line, fault: fault, bytes: bytes)
      row.cells = mapping.headings.map { Self.text(object[$0]) }
      row.id = Self.present(mapping.id.map { Self.text(object[$0]) })
      row.version = Self.present(mapping.version.map { Self.text(object[$0]) })
      row.status = Self.present(mapping.status.map { Self.text(object[$0]) })
      try body(row)
    }
    if !hasLines { throw DomainError(.invalidImport, "the file is empty") }
  }

  private func each(
    csv: (CSVRecord) throws -> Void,
    json: (_ object: JSONObject, _ line: Int, _ bytes: [UInt8], _ fault: String?) throws -> Void
  ) throws {
    switch format {
    case .csv:
      var reader = CSVReader()
      do {
        try FileChunks(path: path).forEach { try reader.read($0, csv) }
        try reader.finish(csv)
      } catch let fault as CSVFault {
        throw DomainError(
          .invalidImport,
          "line \(fault.line): \(fault.reason)",
          details: ["line": .integer(fault.line)]
        )
      }
    case .jsonl:
      var lines = LineReader()
      func take(_ line: Int, _ bytes: [UInt8]) throws {
        do {
          guard let object = try JSONValue(parsing: String(decoding: bytes, as: UTF8.self)).object else {
            throw DomainError(.invalidJSON, "it is not an object")
          }
          try json(object, line, bytes, nil)
        } catch let error as DomainError where error.code == .invalidJSON {
          try json([:], line, bytes, error.message)
        }
      }
      try FileChunks(path: path).forEach { try lines.read($0, take) }
      try lines.finish(take)
    }
  }

  /// Where in a line the mapped headings stand.
  private struct Places {
    let cells: [Int]
    let id: Int?
    let version: Int?
    let status: Int?

    init(_ mapping: ImportMapping, among headings: [String]) throws {
      func place(_ heading: String) throws -> Int {
        if let index = headings.firstIndex(where: { $0.trimmingSpaces() == heading }) { return index }
        let closest = Suggestion.closest(to: heading, among: headings)
        throw DomainError(
          .invalidImport,
          "the file has no column \(Quoted(heading))",
          hint: closest.map { "did you mean \($0)?" } ?? "it has: \(headings.joined(separator: ", "))"
        )
      }
      cells = try mapping.headings.map(place)
      id = try mapping.id.map(place)
      version = try mapping.version.map(place)
      status = try mapping.status.map(place)
    }
  }

  private static func present(_ text: String?) -> String? {
    let text = text?.trimmingSpaces() ?? ""
    return text.isEmpty ? nil : text
  }

  private static func text(_ value: JSONValue?) -> String { (value ?? .null).displayText }

  /// The text without the mark by which an export keeps a spreadsheet from running it.
  private static func restored(_ text: String) -> String {
    guard text.utf8.first == UInt8(ascii: "'") else { return text }
    let first = text.utf8.first { $0 != UInt8(ascii: "'") }
    return first.map { "=+-@\t\r\n".utf8.contains($0) } == true ? String(text.dropFirst()) : text
  }
}

/// Thrown to read no further.
private struct Enough: Error {}
