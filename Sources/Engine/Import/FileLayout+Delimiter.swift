internal import Domain
internal import Store

extension FileLayout {
  /// The delimiters that a heading line can tell, in the order of preference.
  static let common: KeyValuePairs = [
    "comma": UInt8(ascii: ","), "semicolon": UInt8(ascii: ";"), "tab": UInt8(ascii: "\t"),
    "pipe": UInt8(ascii: "|"),
  ]

  /// The number of lines among which the headings are searched, below the titles of a sheet.
  private static let searched = 20

  /// Returns the layout with the delimiter of a file and the line of its headings. Stated ones stay.
  ///
  /// The heading line is the first line, or else the first one with headings that fit. The delimiter is the one that
  /// splits it into headings that fit; otherwise the only one that splits it at all. A line `sep=;` names it. A comma
  /// wins over the others, as before.
  ///
  /// - Parameter fits: true for the headings that the import needs; repeated ones are there with and without number.
  /// - Throws: `invalid_import` if the file has no first line or is no text, or begins with a title; `not_found` without
  ///   a file.
  package func settled(for path: String, fits: (Set<String>) -> Bool) throws -> FileLayout {
    guard format == .csv else { return self }
    var found = self
    var splitting: [UInt8] = []
    var read: [(delimiter: UInt8, records: [CSVRecord])] = []
    let stated = try delimiter ?? separator(of: path)
    for candidate in stated.map({ [$0] }) ?? Self.common.map(\.value) {
      found.delimiter = candidate
      let records = try found.firstRecords(of: path)
      if let first = records.first, Self.isHeading(first, fits) { return found }
      if records.first?.fields.count ?? 0 > 1 { splitting.append(candidate) }
      read.append((candidate, records))
    }
    if headingLine == nil {
      for (candidate, records) in read {
        guard let heading = records.dropFirst().first(where: { Self.isHeading($0, fits) }) else { continue }
        found.delimiter = candidate
        found.headingLine = heading.line
        return found
      }
      try Self.requireNoTitle(read.map(\.records))
    }
    let isSettled = splitting.count == 1 && splitting.first != UInt8(ascii: ",")
    found.delimiter = stated ?? (isSettled ? splitting.first : UInt8(ascii: ","))
    return found
  }

  private static func isHeading(_ record: CSVRecord, _ fits: (Set<String>) -> Bool) -> Bool {
    let headings = record.fields.map { $0.trimmingSpaces() }
    return fits(Set(headings + CSVFile.distinct(headings)).subtracting([""]))
  }

  /// Requires that the first line has several fields if a line below it looks like the headings of a table.
  private static func requireNoTitle(_ read: [[CSVRecord]]) throws(DomainError) {
    func filled(_ record: CSVRecord) -> [String] {
      record.fields.map { $0.trimmingSpaces() }.filter { !$0.isEmpty }
    }
    guard let title = read.first?.first, read.allSatisfy({ $0.first.map { filled($0).count } == 1 }) else {
      return
    }
    let below = read.flatMap { $0.dropFirst().prefix(5) }.filter { filled($0).count > 2 }
    guard let widest = below.max(by: { (filled($0).count, $1.line) < (filled($1).count, $0.line) }) else {
      return
    }
    let names = filled(widest).prefix(3).joined(separator: ", ")
    throw DomainError(
      .invalidImport,
      "line \(title.line): \(Quoted(filled(title).first ?? "")) is a title, not a line of headings",
      hint: "add `--heading-line \(widest.line)` if line \(widest.line) has them (\(names), …)",
      details: ["line": .integer(title.line)]
    )
  }

  /// Returns the first records that are not empty; only the heading if its line is stated.
  private func firstRecords(of path: String) throws -> [CSVRecord] {
    var records: [CSVRecord] = []
    do {
      try CSVFile(path: path, layout: self).read { record in
        records.append(record)
        if headingLine != nil || records.count >= Self.searched { throw Enough() }
      }
    } catch is Enough {}
    return records
  }

  /// Returns the delimiter that a line `sep=;` names; nil if the file does not begin with one.
  private func separator(of path: String) throws -> UInt8? {
    var reader = CSVReader(delimiter: 0)
    var decoder = FileDecoder(encoding)
    var found: UInt8?
    func take(_ record: CSVRecord) throws {
      found = FileLines.separator(in: record)
      throw Enough()
    }
    do {
      try FileChunks(path: path).forEach { chunk in
        try decoder.decode(chunk) { try reader.read($0, take) }
      }
      try decoder.finish { try reader.read($0, take) }
    } catch is Enough {
    } catch is CSVFault {
      // Reading the file names the fault.
    }
    return found
  }
}

/// Thrown to stop reading after the heading.
struct Enough: Error {}
