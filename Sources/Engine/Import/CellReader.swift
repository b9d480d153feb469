internal import Domain
internal import Store

/// Checks the text of a cell against its column, so that the error names the line. PostgreSQL converts the
/// text.
struct CellReader {
  /// The column that the cell fills.
  let column: Column
  /// The maximum characters of a text.
  private let longest: Int

  init(column: Column, limit: Int? = nil) {
    self.column = column
    longest = limit ?? FieldCheck.longestText
  }

  /// Returns the trimmed text for PostgreSQL; nil for an empty cell.
  ///
  /// - Throws: the code of the column's kind, `value_too_long`, or `invalid_input` for a column that cannot
  ///   be imported.
  func read(_ cell: String) throws(DomainError) -> String? {
    let text = cell.trimmingSpaces()
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
    default: break
    }
    return try column.kind.storing(text)
  }
}
