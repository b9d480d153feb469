internal import Domain
internal import FoundationEssentials
internal import Store

/// One line of an import file, split but not yet checked.
struct ImportRow {
  let line: Int
  /// The texts under the mapped headings, in the order of the headings; empty for a missing value. Behind them, the names
  /// of ``ImportMapping/constants``.
  var cells: [String] = []
  /// The positions of cells that are numbers of JSON, whose notation is known.
  var exact: Set<Int> = []
  var id: String?
  var version: String?
  var status: String?
  /// The texts under the headings that say a reference again, in the order of ``ImportMapping/echoes``.
  var echoes: [String] = []
  /// The digest of the whole line, unmapped cells included.
  var digest: LineDigest?
  /// The reason why the line is refused; nil if it can be read.
  var fault: String?
  /// The bytes of the line without refusal columns, for the file of refused lines.
  let source: [UInt8]
}

/// A file of records, in CSV or JSON lines.
struct ImportSource {
  private let layout: FileLayout
  private var delimiter: UInt8 { layout.delimiter ?? UInt8(ascii: ",") }
  private let path: String
  /// The names of the type's fields, which are never refusal columns.
  private let names: Set<String>

  init(_ layout: FileLayout, path: String, names: Set<String>) {
    self.layout = layout
    self.path = path
    self.names = names
  }

  /// Returns the headings of a CSV file, or the names that occur in the objects of a JSON lines file.
  ///
  /// - Throws: `invalid_import` if the heading line is faulty, looks like it has another delimiter, or no
  ///   line is an object.
  func headings() throws -> [String] {
    var found: [String]?
    switch layout.format {
    case .csv:
      do {
        try CSVFile(path: path, layout: layout).read { record in
          let headings = try CSVFile.headings(record)
          found = headings
          try Self.requireDistinct(record, headings, wanted: names)
          guard let other = Places.delimiter(in: headings, besides: delimiter) else { throw Enough() }
          throw DomainError(
            .invalidImport,
            "line \(record.line): the heading is a single field, \(Quoted(headings[0]))",
            hint: "add `--delimiter \(other)` if it separates the fields",
            details: ["line": .integer(record.line)]
          )
        }
      } catch is Enough {}
    case .jsonl:
      var seen: Set<String> = []
      var first: DomainError?
      try JSONLines(path: path, layout: layout).read { line in
        if let fault = line.fault, first == nil {
          first = DomainError(
            .invalidImport,
            "line \(line.number): \(fault)",
            hint: "write one JSON object per line",
            details: ["line": .integer(line.number)]
          )
        }
        for key in line.object?.keys ?? [] where seen.insert(key).inserted { found = (found ?? []) + [key] }
      }
      if found == nil, let first { throw first }
    }
    return found ?? []
  }

  /// Passes every line to `body`.
  ///
  /// - Returns: the form of the file.
  /// - Throws: `invalid_import` if the file as a whole cannot be read.
  func read(_ mapping: ImportMapping, _ body: (ImportRow) throws -> Void) throws -> FileForm {
    switch layout.format {
    case .csv: try readCSV(mapping, body)
    case .jsonl: try readJSON(mapping, body)
    }
  }

  private func readCSV(_ mapping: ImportMapping, _ body: (ImportRow) throws -> Void) throws -> FileForm {
    var places: Places?
    return try CSVFile(path: path, layout: layout).read(taken: names.union(mapping.all)) { headings in
      places = try Places(mapping, among: headings, delimiter, line: layout.headingLine ?? 1)
    } record: { record in
      guard let places else { return }
      var row = ImportRow(line: record.line, source: record.source)
      if let fault = record.fault {
        row.fault = fault
      } else {
        row.cells = places.cells.map { Self.restored(record.fields[$0]) } + mapping.constants
        row.echoes = places.echoes.map { Self.restored(record.fields[$0]).trimmingSpaces() }
        row.digest = LineDigest(places.all.lazy.map { ($0.name, record.fields[$0.index]) })
        row.id = Self.present(places.id.map { record.fields[$0] })
        row.version = Self.present(places.version.map { record.fields[$0] })
        row.status = Self.present(places.status.map { record.fields[$0] })
      }
      try body(row)
    }
  }

  private func readJSON(_ mapping: ImportMapping, _ body: (ImportRow) throws -> Void) throws -> FileForm {
    let taken = names.union(mapping.all)
    var form = FileForm(format: .jsonl, columns: .free(beside: taken))
    // The mapped headings that no object has yet.
    var missing = Set(mapping.all)
    var hasObject = false
    let read = try JSONLines(path: path, layout: layout).read { line in
      var source = line.source
      let object = line.object ?? [:]
      if line.object != nil { hasObject = true }
      for heading in missing where object[heading] != nil { missing.remove(heading) }
      if let columns = RefusalColumns.found(in: object.keys, taken: taken) {
        let members = object.members.filter { !columns.names.contains($0.key) }
        // Some lines of a file may not have every member.
        missing = []
        source = Array(JSONValue.object(JSONObject(members.map { ($0.key, $0.value) })).text.utf8)
      }
      var row = ImportRow(line: line.number, fault: line.fault, source: source)
      row.cells = mapping.headings.map { Self.text(object[$0]) } + mapping.constants
      row.echoes = mapping.echoes.map { Self.text(object[$0.heading]).trimmingSpaces() }
      row.digest = LineDigest(object.keys.sorted().lazy.map { ($0, Self.text(object[$0])) })
      for (index, heading) in mapping.headings.enumerated() where object[heading]?.number != nil {
        row.exact.insert(index)
      }
      row.id = Self.present(mapping.id.map { Self.text(object[$0]) })
      row.version = Self.present(mapping.version.map { Self.text(object[$0]) })
      row.status = Self.present(mapping.status.map { Self.text(object[$0]) })
      try body(row)
    }
    if hasObject, let heading = missing.min() { throw Places.missing(heading, try headings(), delimiter) }
    form.encoding = read.encoding
    form.hasMark = read.hasMark
    return form
  }

  /// Refuses a heading line in which several columns have the name of a field.
  private static func requireDistinct(_ record: CSVRecord, _ headings: [String], wanted: Set<String>) throws {
    let plain = record.fields.map { $0.trimmingSpaces() }
    for (name, heading) in zip(plain, headings) where name != heading && wanted.contains(name) {
      throw Places.ambiguous(name, headings, line: record.line)
    }
  }

  private static func present(_ text: String?) -> String? {
    let text = text?.trimmingSpaces() ?? ""
    return text.isEmpty ? nil : text
  }

  private static func text(_ value: JSONValue?) -> String { (value ?? .null).displayText }

  /// Returns the text without the apostrophe that an export puts before a spreadsheet formula.
  private static func restored(_ text: String) -> String {
    guard text.utf8.first == UInt8(ascii: "'") else { return text }
    let first = text.utf8.first { $0 != UInt8(ascii: "'") }
    return first.map { "=+-@\t\r\n".utf8.contains($0) } == true ? String(text.dropFirst()) : text
  }
}

/// The positions of the mapped headings in a line.
private struct Places {
  let cells: [Int]
  let id: Int?
  let version: Int?
  let status: Int?
  let echoes: [Int]
  /// All headings with their positions, by name.
  let all: [(name: String, index: Int)]

  /// - Parameter line: the number of the heading line.
  init(_ mapping: ImportMapping, among headings: [String], _ delimiter: UInt8, line: Int) throws {
    func place(_ heading: String) throws -> Int {
      if let index = headings.firstIndex(of: heading) { return index }
      if headings.contains("\(heading)#2") { throw Self.ambiguous(heading, headings, line: line) }
      throw Self.missing(heading, headings, delimiter)
    }
    cells = try mapping.headings.map(place)
    id = try mapping.id.map(place)
    version = try mapping.version.map(place)
    status = try mapping.status.map(place)
    echoes = try mapping.echoes.map { try place($0.heading) }
    all = headings.enumerated().map { ($1, $0) }.sorted { $0.name < $1.name }
  }

  /// The error for a heading that no column has.
  static func missing(_ heading: String, _ headings: [String], _ delimiter: UInt8) -> DomainError {
    DomainError(
      .invalidImport,
      "the file has no column \(Quoted(heading))",
      hint: hint(heading, headings, delimiter)
    )
  }

  /// The error for a heading that several columns have.
  static func ambiguous(_ heading: String, _ headings: [String], line: Int) -> DomainError {
    let numbered = headings.indices.filter { headings[$0].hasPrefix("\(heading)#") }
    let places = numbered.map { String($0 + 1) }.joined(separator: ", ")
    return DomainError(
      .invalidImport,
      "line \(line): the heading \(Quoted(heading)) occurs \(numbered.count == 2 ? "twice" : "\(numbered.count) times") (columns \(places))",
      hint: "name one with its number, such as `--map field=\(heading)#1`",
      details: ["line": .integer(line)]
    )
  }

  private static func hint(_ heading: String, _ headings: [String], _ delimiter: UInt8) -> String {
    if let other = Self.delimiter(in: headings, besides: delimiter) {
      return "add `--delimiter \(other)` if it separates the fields"
    }
    let closest = Suggestion.closest(to: heading, among: headings)
    return closest.map { "did you mean \($0)?" } ?? "use one of: \(headings.joined(separator: ", "))"
  }

  /// Returns the name of another delimiter that occurs in the only heading; nil if there is none. Excel
  /// writes semicolons in locales with a decimal comma.
  static func delimiter(in headings: [String], besides delimiter: UInt8) -> String? {
    guard headings.count == 1, let heading = headings.first else { return nil }
    return FileLayout.common.first { heading.utf8.contains($0.value) && $0.value != delimiter }?.key
  }
}
