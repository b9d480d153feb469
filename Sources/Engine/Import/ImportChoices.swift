package import Domain
internal import FoundationEssentials
internal import Store

/// What a person has chosen for a file that they import in a browser.
package struct ImportChoices: Sendable, Codable, Equatable {
  /// The column that each heading of the file fills; empty text for a heading that is left out.
  package var columns: [String: String] = [:]
  /// Values for all records, by column.
  package var fixed: [String: String] = [:]
  /// The meanings of words.
  package var values: [WordMeaning] = []
  /// Columns whose unreadable values stay empty.
  package var emptyIfUnreadable: [String] = []
  /// The delimiter, the encoding, and the signs and formats by name; nil to find them out.
  package var delimiter: String?
  package var encoding: String?
  package var decimal: String?
  package var thousands: String?
  package var dates: String?
  /// The numbers of lines, as they were written.
  package var headingLine: String?
  package var lastLine: String?
  package var createsMissing = false
  /// True to import the lines that can be read if others are refused.
  package var skipsBad = false

  package init() {}

  /// The layout of a file with a name.
  ///
  /// - Throws: `invalid_input` for an unknown delimiter or encoding, or a text that is no number of a line.
  func layout(of name: String) throws -> FileLayout {
    let format = FileLayout.Format(path: name)
    return FileLayout(
      format: format,
      delimiter: format == .csv ? try delimiter.map { try FileLayout.delimiter(named: $0) } : nil,
      encoding: try encoding.map { try FileEncoding(named: $0) },
      headingLine: format == .csv ? try Self.line(headingLine, "--heading-line") : nil,
      lastLine: format == .csv ? try Self.line(lastLine, "--last-line") : nil
    )
  }

  private static func line(_ text: String?, _ option: String) throws(DomainError) -> Int? {
    guard let text else { return nil }
    if let line = Int(text), line > 0 { return line }
    throw DomainError(
      .invalidInput,
      "\(Quoted(text)) is not the number of a line",
      hint: "write a number such as `\(option) 20`"
    )
  }

  /// Returns the plan of an import.
  ///
  /// - Parameter skipsBad: true to go on after refused lines, as a trial does.
  /// - Throws: `invalid_input` for a choice that is none.
  func plan(_ type: String, name: String, skipsBad: Bool) throws -> ImportPlan {
    func sign<Sign: RawRepresentable>(_ text: String?) throws -> Sign? where Sign.RawValue == String {
      try text.map { text in
        guard let sign = Sign(rawValue: text) else {
          throw DomainError(.invalidInput, "\(Quoted(text)) is not such a sign")
        }
        return sign
      }
    }
    return ImportPlan(
      type: type,
      mapping: columns.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map {
        (column: $0.value, heading: $0.key)
      },
      fixed: fixed.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map {
        (column: $0.key, value: $0.value)
      },
      createsMissing: createsMissing,
      layout: try layout(of: name),
      notation: try StatedNotation(
        decimal: sign(decimal),
        thousands: sign(thousands),
        dates: try dates.map { text in try DateFormat(parsing: text) }
      ),
      emptyIfUnreadable: emptyIfUnreadable,
      values: try StatedValues(values),
      skipsBad: skipsBad
    )
  }
}
