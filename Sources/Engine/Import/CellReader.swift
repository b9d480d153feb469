internal import Domain
internal import Store

/// Checks the text of a cell against its column, so that the error names the line. PostgreSQL converts the
/// text.
struct CellReader {
  /// What the column asks of its cells. A class, because readers are copied for every cell.
  private final class Form: Sendable {
    let column: Column
    /// The only values of a text; empty for any.
    let choices: [String]
    /// The maximum characters of a text.
    let longest: Int
    /// The kind of the column; one without a limit of decimals if the type rounds the column.
    let kind: ColumnKind
    /// The maximum decimals of a number; nil for no limit.
    let decimals: Int?

    init(_ column: Column, _ type: RecordTypeDefinition, choices: [String]) {
      self.column = column
      self.choices = choices
      longest = type.limits[column.name] ?? FieldCheck.longestText
      kind = type.rounds.contains(column.name) ? column.kind.rounded : column.kind
      decimals = kind.decimals
    }
  }

  private let form: Form
  /// The notation of the column's cells.
  var notation = ColumnNotation()
  /// What times mean in the company's time zone.
  var times = CompanyTimes.none

  /// - Parameter choices: the only values of a text; empty for any.
  init(column: Column, of type: RecordTypeDefinition, choices: [String]) {
    form = Form(column, type, choices: choices)
  }

  /// The column that the cell fills.
  var column: Column { form.column }

  /// Returns the trimmed text for PostgreSQL; nil for an empty cell.
  ///
  /// - Parameter isExact: true for a number in the grammar of JSON, whatever the column's notation.
  /// - Throws: the code of the column's kind, `value_too_long`, or `invalid_input` for a column that cannot
  ///   be imported.
  func read(_ cell: String, isExact: Bool = false) throws(DomainError) -> String? {
    var text = cell.trimmingSpaces()
    if text.isEmpty { return nil }
    switch form.kind {
    case .other:
      throw DomainError(.invalidInput, "columns of type \(form.column.type) cannot be imported")
    case .text:
      // A text has at most as many characters as bytes, so counting bytes is usually enough.
      guard text.utf8.count <= form.longest || text.unicodeScalars.count <= form.longest else {
        throw DomainError(.valueTooLong, "longer than \(form.longest) characters")
      }
      if !form.choices.isEmpty { return try choice(text) }
    case .json, .array:
      guard text.utf8.count <= FieldCheck.largestDocument else {
        throw DomainError(.valueTooLong, "longer than \(FieldCheck.largestDocument) bytes")
      }
    case .numeric, .real, .integer:
      text =
        isExact
        ? try ColumnNotation.fitting(
          try ExactDecimal(parsing: text).canonicalText,
          decimals: form.decimals,
          as: text
        )
        : try notation.number(text, decimals: form.decimals)
    case .date: text = try notation.date(text, days: times.days).description
    case .instant:
      let (instant, isLocal) = try notation.instant(text)
      let moment = try isLocal ? times.moment(instant, written: text) : instant
      try RecordedYears.require(moment)
      return moment.description
    default: break
    }
    return try form.kind.storing(text)
  }

  /// Returns the instant of a cell in a column of dates; nil for another cell.
  func instant(_ cell: String) -> Instant? {
    form.kind == .date ? WrittenDate(parsing: cell.trimmingSpaces())?.instant : nil
  }

  /// True if cells can be local times.
  var isInstant: Bool { form.kind == .instant }

  /// Returns the local time of a cell without an offset, as if it were in UTC; nil for another cell.
  func localTime(_ cell: String) -> Instant? {
    guard isInstant else { return nil }
    let text = cell.trimmingSpaces()
    // Another text is refused when the cell is read.
    guard !text.isEmpty, let read = try? notation.instant(text), read.isLocal else { return nil }
    return read.instant
  }

  /// Returns the choice that a text names, in any case, with blanks, `-` or `_`.
  private func choice(_ text: String) throws(DomainError) -> String {
    let choices = form.choices
    if choices.contains(text) { return text }
    let name = text.foldedName
    if let found = choices.first(where: { $0.foldedName == name }) { return found }
    throw DomainError(
      .invalidInput,
      "\(Quoted(text)) is not one of: \(choices.joined(separator: ", "))",
      hint: "use one of: \(choices.joined(separator: ", "))"
    )
  }
}
