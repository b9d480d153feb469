internal import Domain
internal import Store

/// Turns the text of a cell into what a column of a given type takes, checked here so that a refusal can name the
/// line; PostgreSQL converts the checked text.
struct CellReader {
  private enum Kind { case date, numeric, integer(bits: Int), boolean, time, text, other }

  /// The column of the type.
  let column: Column
  private let kind: Kind
  /// Digits before the point that `numeric(12,2)` has room for; nil without a limit.
  private let wholeDigits: Int?

  init(column: Column) {
    self.column = column
    kind =
      switch column.type.prefix(while: { $0 != "(" }) {
      case "date": .date
      case "numeric": .numeric
      case "smallint": .integer(bits: 15)
      case "integer": .integer(bits: 31)
      case "bigint": .integer(bits: 63)
      case "boolean": .boolean
      case "timestamp with time zone": .time
      case "text": .text
      default: .other
      }
    let numbers = column.type.split { !$0.isNumber }.compactMap { Int($0) }
    wholeDigits = numbers.count == 2 ? numbers[0] - numbers[1] : nil
  }

  /// The text to hand to PostgreSQL, or nil for an empty cell.
  ///
  /// - Throws: `DomainError` with the reason when the text is no value of the column's type.
  func read(_ cell: String) throws(DomainError) -> String? {
    let text = cell.trimmingSpaces()
    if text.isEmpty { return nil }
    switch kind {
    case .date: _ = try LocalDate(parsing: text)
    case .numeric: try checkNumber(text)
    case .integer(let bits): try checkInteger(text, bits: bits)
    case .boolean:
      guard ["true", "false", "t", "f", "yes", "no", "1", "0"].contains(text.lowercased()) else {
        throw DomainError(.invalidInput, "\(Quoted(text)) is neither true nor false")
      }
    case .time: _ = try Instant(parsing: text)
    case .text:
      guard !text.utf8.contains(0) else {
        throw DomainError(.invalidInput, "the text holds a NUL character")
      }
    case .other:
      throw DomainError(.invalidInput, "columns of type \(column.type) cannot be imported")
    }
    return text
  }

  private func checkNumber(_ text: String) throws(DomainError) {
    let number = try ExactDecimal(parsing: text)
    guard let wholeDigits else { return }
    let digits = number.text.utf8.drop { $0 == UInt8(ascii: "-") }.prefix { $0 != UInt8(ascii: ".") }.count
    guard digits <= wholeDigits else {
      throw DomainError(.invalidNumber, "\(Quoted(text)) is too large")
    }
  }

  private func checkInteger(_ text: String, bits: Int) throws(DomainError) {
    guard let number = Int64(text) else {
      throw DomainError(.invalidNumber, "\(Quoted(text)) is not a whole number")
    }
    guard bits == 63 || (number >= -(1 << bits) && number < 1 << bits) else {
      throw DomainError(.invalidNumber, "\(Quoted(text)) is too large")
    }
  }
}
