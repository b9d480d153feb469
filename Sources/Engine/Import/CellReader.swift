internal import Domain
internal import Store

/// Turns the text of a cell into what a column of a given type takes, checked here so that a refusal can name the
/// line; PostgreSQL converts the checked text.
struct CellReader {
  /// The column of the type.
  let column: Column

  /// The text to hand to PostgreSQL, or nil for an empty cell.
  ///
  /// - Throws: `DomainError` with the reason when the text is no value of the column's type.
  func read(_ cell: String) throws(DomainError) -> String? {
    let text = cell.trimmingSpaces()
    if text.isEmpty { return nil }
    switch column.type.prefix(while: { $0 != "(" }) {
    case "date": _ = try LocalDate(parsing: text)
    case "numeric": try checkNumber(text)
    case "smallint", "integer", "bigint": try checkInteger(text)
    case "boolean":
      guard ["true", "false", "t", "f", "yes", "no", "1", "0"].contains(text.lowercased()) else {
        throw DomainError(.invalidInput, "\(Quoted(text)) is neither true nor false")
      }
    case "timestamp with time zone": _ = try Instant(parsing: text)
    case "text":
      guard !text.unicodeScalars.contains(where: { $0.value == 0 }) else {
        throw DomainError(.invalidInput, "the text holds a NUL character")
      }
    default:
      throw DomainError(.invalidInput, "columns of type \(column.type) cannot be imported")
    }
    return text
  }

  private func checkNumber(_ text: String) throws(DomainError) {
    let number = try ExactDecimal(parsing: text)
    guard let (precision, scale) = precision else { return }
    let digits = number.text.drop { $0 == "-" }.prefix { $0 != "." }.count
    guard digits <= precision - scale else {
      throw DomainError(.invalidNumber, "\(Quoted(text)) is too large")
    }
  }

  private func checkInteger(_ text: String) throws(DomainError) {
    guard let number = Int64(text) else {
      throw DomainError(.invalidNumber, "\(Quoted(text)) is not a whole number")
    }
    let bits = column.type == "smallint" ? 15 : column.type == "integer" ? 31 : 63
    guard bits == 63 || (number >= -(1 << bits) && number < 1 << bits) else {
      throw DomainError(.invalidNumber, "\(Quoted(text)) is too large")
    }
  }

  /// Digits in all and behind the point, of `numeric(12,2)`.
  private var precision: (Int, Int)? {
    let numbers = column.type.split { !$0.isNumber }.compactMap { Int($0) }
    return numbers.count == 2 ? (numbers[0], numbers[1]) : nil
  }
}
