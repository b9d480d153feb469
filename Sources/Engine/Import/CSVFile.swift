internal import Domain
internal import Store

/// A CSV file, decoded and split into records.
package struct CSVFile {
  private let path: String
  private let layout: FileLayout
  private var delimiter: UInt8 { layout.delimiter ?? UInt8(ascii: ",") }

  package init(path: String, layout: FileLayout) {
    self.path = path
    self.layout = layout
  }

  /// Passes every record to `body`, the heading first.
  ///
  /// - Returns: the detected encoding, true if the file begins with a byte order mark, and the number of records that
  ///   the layout leaves out.
  /// - Throws: `invalid_import` naming the line at which reading fails, and for a file without records;
  ///   `not_found` if there is no such file.
  @discardableResult
  func read(_ body: (CSVRecord) throws -> Void) throws -> (
    encoding: FileEncoding, hasMark: Bool, leftOut: Int
  ) {
    var leftOut = 0
    var reader = CSVReader(delimiter: delimiter)
    var decoder = FileDecoder(layout.encoding)
    var isEmpty = true
    func take(_ record: CSVRecord) throws {
      if FileLines.separator(in: record) != nil || FileLines.isBlank(record) { return }
      guard record.line >= layout.headingLine ?? 0, record.line <= layout.lastLine ?? .max else {
        leftOut += 1
        return
      }
      isEmpty = false
      try body(record)
    }
    do {
      try FileChunks(path: path).forEach { chunk in
        try decoder.decode(chunk) { try reader.read($0, take) }
      }
      try decoder.finish { try reader.read($0, take) }
      try reader.finish(take)
    } catch let fault as CSVFault {
      throw DomainError(
        .invalidImport,
        "line \(fault.line): \(fault.reason)",
        hint: "close the quote, or double a quote within a field; no later line can be read",
        details: ["line": .integer(fault.line)]
      )
    }
    if isEmpty { throw Self.empty }
    return (decoder.encoding, decoder.hasMark, leftOut)
  }

  /// Passes the headings to `heading` and then every record to `body`, both without refusal columns.
  ///
  /// A record with more or fewer fields than the heading has a fault, and so has a line of totals.
  ///
  /// - Parameter taken: the names of the type's columns. A column with such a name is never a refusal column.
  /// - Returns: the form of the file.
  package func read(
    taken: Set<String>,
    heading: ([String]) throws -> Void,
    record body: (CSVRecord) throws -> Void
  ) throws -> FileForm {
    var form = FileForm(delimiter: delimiter)
    var added: Int?
    var width = 0
    let read = try read { record in
      guard let added else {
        let headings = try Self.headings(record)
        let columns = RefusalColumns.found(in: headings, taken: taken)
        form.columns = columns ?? .free(beside: taken.union(headings))
        added = columns?.names.count ?? 0
        form.heading = cut(record, added ?? 0).source
        form.headingLine = layout.headingLine ?? 1
        let own = Array(headings.dropLast(added ?? 0))
        width = own.count
        return try heading(own)
      }
      try body(fitting(cut(record, added), width: width))
    }
    form.encoding = read.encoding
    form.hasMark = read.hasMark
    form.leftOut = read.leftOut
    return form
  }

  /// Returns the record without its last `count` fields. A record with too few fields or a fault is
  /// unchanged.
  private func cut(_ record: CSVRecord, _ count: Int) -> CSVRecord {
    guard count > 0, record.fields.count > count, record.fault == nil else { return record }
    let fields = Array(record.fields.dropLast(count))
    return CSVRecord(
      line: record.line,
      fields: fields,
      source: CSVField.line(fields, delimiter: delimiter)
    )
  }

  /// Returns the record, with a fault if it is none of a table of this width.
  private func fitting(_ record: CSVRecord, width: Int) -> CSVRecord {
    guard record.fault == nil else { return record }
    let count = record.fields.count
    let fault: String
    if layout.lastLine == nil, let word = FileLines.total(in: record, width: width) {
      fault = "the line looks like a total (\(Quoted(word)))"
    } else if count != width {
      fault = "the line has \(count) field\(count == 1 ? "" : "s"), the heading has \(width)"
    } else {
      return record
    }
    return CSVRecord(line: record.line, fields: record.fields, source: record.source, fault: fault)
  }

  /// Returns the trimmed headings of a heading record. A heading that occurs several times is numbered: `Text#1`,
  /// `Text#2`.
  ///
  /// - Throws: `invalid_import` naming the line, if the heading line is faulty.
  static func headings(_ record: CSVRecord) throws -> [String] {
    func refusal(_ reason: String, hint: String) -> DomainError {
      DomainError(
        .invalidImport,
        "line \(record.line): \(reason)",
        hint: hint,
        details: ["line": .integer(record.line)]
      )
    }
    if let fault = record.fault {
      throw refusal(fault, hint: "correct the heading line, or name the --encoding")
    }
    let headings = record.fields.map { $0.trimmingSpaces() }
    if let first = headings.first?.utf8.first, "[{".utf8.contains(first) {
      throw refusal(
        "the file is JSON, not CSV",
        hint: "write one object per line, to a file that ends in .jsonl"
      )
    }
    return distinct(headings)
  }

  /// Returns the position of a heading: the one with the same letters, or else the only one with the same letters in any
  /// case; nil if there is none.
  package static func place(of heading: String, among headings: [String]) -> Int? {
    if let place = headings.firstIndex(of: heading) { return place }
    let places = headings.indices.filter { headings[$0].lowercased() == heading.lowercased() }
    return places.count == 1 ? places[0] : nil
  }

  /// Returns the headings, with their number behind those that occur several times.
  static func distinct(_ headings: [String]) -> [String] {
    let counts = Dictionary(headings.map { ($0, 1) }, uniquingKeysWith: +)
    var seen: [String: Int] = [:]
    return headings.map { heading in
      guard !heading.isEmpty, counts[heading] ?? 0 > 1 else { return heading }
      seen[heading, default: 0] += 1
      return "\(heading)#\(seen[heading] ?? 0)"
    }
  }

  /// The error for a file without records.
  static let empty = DomainError(
    .invalidImport,
    "line 1: the file is empty",
    hint: "check the path; a CSV file begins with a heading line"
  )
}
