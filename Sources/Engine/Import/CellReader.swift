internal import Domain
internal import Store

/// Turns the text of a cell into what a column takes, checked here so that a refusal can name the line; PostgreSQL
/// converts the checked text.
struct CellReader {
  /// The column of the type.
  let column: Column
  /// How many characters it takes; for a document or a list more than that is refused later.
  private let longest: Int

  init(column: Column, limit: Int? = nil) {
    self.column = column
    longest = limit ?? FieldCheck.longestText
  }

  /// The text to hand to PostgreSQL, or nil for an empty cell.
  ///
  /// - Throws: `DomainError` with the reason when the text is no value of the column's type.
  func read(_ cell: String) throws(DomainError) -> String? {
    let text = cell.trimmingSpaces()
    if text.isEmpty { return nil }
    switch column.kind {
    case .other:
      throw DomainError(.invalidInput, "columns of type \(column.type) cannot be imported")
    case .text:
      // Bytes first: they are counted already, and a character has one at least.
      guard text.utf8.count <= longest || text.unicodeScalars.count <= longest else {
        throw DomainError(.valueTooLong, "it has more than the \(longest) characters it takes")
      }
    case .json, .array:
      guard text.utf8.count <= FieldCheck.largestDocument else {
        throw DomainError(.valueTooLong, "it has more than the \(FieldCheck.largestDocument) bytes it takes")
      }
    default: break
    }
    return try column.kind.reading(text)
  }
}
