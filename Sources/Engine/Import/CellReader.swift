internal import Domain
internal import Store

/// Checks the text of a cell against its column, so that the error names the line. PostgreSQL converts the
/// text.
struct CellReader {
  /// The column that the cell fills.
  let column: Column
  /// The notation of the column's cells.
  var notation = ColumnNotation()
  /// The local dates of instants in a column of dates.
  var days: [Instant: LocalDate] = [:]
  /// The maximum characters of a text.
  private let longest: Int
  /// The maximum decimals of a number; nil for no limit.
  private let decimals: Int?

  init(column: Column, limit: Int? = nil) {
    self.column = column
    longest = limit ?? FieldCheck.longestText
    decimals = column.decimals
  }

  /// Returns the trimmed text for PostgreSQL; nil for an empty cell.
  ///
  /// - Parameter isExact: true for a number in the grammar of JSON, whatever the column's notation.
  /// - Throws: the code of the column's kind, `value_too_long`, or `invalid_input` for a column that cannot
  ///   be imported.
  func read(_ cell: String, isExact: Bool = false) throws(DomainError) -> String? {
    var text = cell.trimmingSpaces()
    if text.isEmpty { return nil }
    switch column.kind {
    case .other:
      throw DomainError(.invalidInput, "columns of type \(column.type) cannot be imported")
    case .text:
      // A text has at most as many characters as bytes, so counting bytes is usually enough.
      guard text.utf8.count <= longest || text.unicodeScalars.count <= longest else {
        throw DomainError(.valueTooLong, "longer than \(longest) characters")
      }
    case .json, .array:
      guard text.utf8.count <= FieldCheck.largestDocument else {
        throw DomainError(.valueTooLong, "longer than \(FieldCheck.largestDocument) bytes")
      }
    case .numeric, .real, .integer:
      text =
        isExact
        ? try ColumnNotation.fitting(
          try ExactDecimal(parsing: text).canonicalText,
          decimals: decimals,
          as: text
        )
        : try notation.number(text, decimals: decimals)
    case .date: text = try notation.date(text, days: days).description
    default: break
    }
    return try column.kind.storing(text)
  }
}

extension Column {
  /// The maximum decimals that the column keeps; nil for no limit, and for columns without numbers.
  var decimals: Int? {
    switch kind {
    case .integer: return 0
    case .numeric:
      // `numeric(12,2)`; without a scale, as in `numeric(5)`, whole numbers.
      let digits = type.split { "(,) ".contains($0) }.dropFirst().compactMap { Int($0) }
      return digits.isEmpty ? nil : digits.count > 1 ? digits[1] : 0
    default: return nil
    }
  }
}
