package import Domain

/// The form of a file of records, as the user has specified it.
package struct FileLayout: Sendable, Equatable {
  package var format: Format
  /// The byte between the fields of a CSV file; nil if the heading line is to tell it.
  package var delimiter: UInt8?
  /// The named encoding; nil for UTF-8, unless a byte order mark says otherwise.
  package var encoding: FileEncoding?
  /// The line with the headings of a CSV file; lines above it are left out. Nil for the first line that is not empty.
  package var headingLine: Int?
  /// The last line that is read; nil for all lines.
  package var lastLine: Int?

  /// The syntax of a file of records.
  package enum Format: String, Sendable, Codable, CaseIterable {
    /// Delimiter-separated values with a heading line (RFC 4180).
    case csv
    /// One JSON object per line.
    case jsonl

    /// Selects the format by a file's extension: JSON lines for `.jsonl` and `.ndjson`, otherwise CSV.
    package init(path: String) {
      self = [".jsonl", ".ndjson"].contains { path.lowercased().hasSuffix($0) } ? .jsonl : .csv
    }
  }

  package init(
    format: Format = .csv,
    delimiter: UInt8? = nil,
    encoding: FileEncoding? = nil,
    headingLine: Int? = nil,
    lastLine: Int? = nil
  ) {
    self.format = format
    self.delimiter = delimiter
    self.encoding = encoding
    self.headingLine = headingLine
    self.lastLine = lastLine
  }

  /// Returns the byte of a delimiter: a tab, one of `,;|:^~!#&*/`, or one of the words `comma`, `semicolon`,
  /// `tab` and `pipe`.
  ///
  /// - Throws: `invalid_input` for any other text.
  package static func delimiter(named name: String) throws(DomainError) -> UInt8 {
    let words: [String: UInt8] = [
      "comma": UInt8(ascii: ","), "semicolon": UInt8(ascii: ";"), "tab": UInt8(ascii: "\t"),
      "\\t": UInt8(ascii: "\t"), "pipe": UInt8(ascii: "|"),
    ]
    if let byte = words[name.lowercased()] { return byte }
    let bytes = Array(name.utf8)
    if bytes.count == 1, let byte = bytes.first,
      byte == UInt8(ascii: "\t") || ",;|:^~!#&*/".utf8.contains(byte)
    {
      return byte
    }
    throw DomainError(
      .invalidInput,
      "\(Quoted(name)) cannot delimit fields",
      hint: "use one of: comma, semicolon, tab, pipe, or a sign among ,;|:^~!#&*/"
    )
  }
}

/// The names of the two columns that a file of refused lines adds to the imported file's columns.
package enum RefusalColumns: String, Sendable, Codable, CaseIterable {
  /// `line` and `reason`.
  case plain
  /// `import_line` and `import_reason`, if the file or the record type has a field `line` or `reason`.
  case prefixed

  /// The names, in the order of the columns.
  package var names: [String] { self == .plain ? ["line", "reason"] : ["import_line", "import_reason"] }

  /// Every possible name of a refusal column.
  static let allNames = Set(allCases.flatMap(\.names))

  /// Returns the refusal columns at the end of these headings; nil if there are none or one of them is
  /// `taken`.
  static func found(in headings: [String], taken: Set<String>) -> RefusalColumns? {
    allCases.first { headings.suffix(2) == $0.names[...] && taken.isDisjoint(with: $0.names) }
  }

  /// Returns ``plain``, or ``prefixed`` if one of the plain names is among `names`.
  static func free(beside names: Set<String>) -> RefusalColumns {
    names.isDisjoint(with: RefusalColumns.plain.names) ? .plain : .prefixed
  }
}

/// The detected form of an imported file; the file of its refused lines has the same form.
package struct FileForm: Sendable, Codable, Equatable {
  package var format: FileLayout.Format
  package var delimiter: UInt8
  package var encoding: FileEncoding
  /// True if the file begins with a byte order mark.
  package var hasMark: Bool
  /// The number of the line with the headings, counted from 1.
  package var headingLine = 1
  /// The number of lines above the headings and below the last line to read.
  package var leftOut = 0
  /// The heading line of a CSV file in UTF-8, without refusal columns.
  package var heading: [UInt8]
  package var columns: RefusalColumns

  package init(
    format: FileLayout.Format = .csv,
    delimiter: UInt8 = UInt8(ascii: ","),
    encoding: FileEncoding = .utf8,
    hasMark: Bool = false,
    heading: [UInt8] = [],
    columns: RefusalColumns = .plain
  ) {
    self.format = format
    self.delimiter = delimiter
    self.encoding = encoding
    self.hasMark = hasMark
    self.heading = heading
    self.columns = columns
  }
}
