internal import Domain
internal import Store

/// Requires that an amount that is written with a currency is in the currency of its line.
struct CurrencyCheck: Sendable {
  private static let column = "currency"

  /// The positions of amounts in a line, with their columns.
  private let amounts: [(index: Int, name: String)]
  /// The amounts with a currency that all new records have.
  private let given: [(name: String, text: String)]
  /// The position of the line's currency; nil if the file has none.
  private let place: Int?
  /// The currency of all lines; nil if none is stated.
  private let stated: String?

  /// Returns nil for a type without a column for the currency of its amounts.
  init?(
    _ type: RecordType,
    _ targets: [ImportMapping.Target],
    fixed: [(target: ImportMapping.Target, value: String)]
  ) {
    guard type.column(Self.column) != nil else { return nil }
    amounts = targets.enumerated().filter { Self.isAmount($0.element.column) }
      .map { (index: $0.offset, name: $0.element.column.name) }
    given = fixed.filter { Self.isAmount($0.target.column) && Self.number(of: $0.value)?.currency != nil }
      .map { (name: $0.target.column.name, text: $0.value) }
    place = targets.firstIndex { $0.column.name == Self.column }
    let value = fixed.first { $0.target.column.name == Self.column }?.value.trimmingSpaces()
    stated = value?.isEmpty == false ? value : nil
  }

  /// - Parameters:
  ///   - texts: the texts of the cells.
  ///   - cells: the checked texts of the cells.
  /// - Throws: `invalid_input` naming the column of an amount in another currency.
  func require(_ texts: [String], _ cells: [String?]) throws(DomainError) {
    for (index, name) in amounts { try require(texts[index], name, cells) }
    for (name, text) in given { try require(text, name, cells) }
  }

  private func require(_ text: String, _ name: String, _ cells: [String?]) throws(DomainError) {
    guard let number = Self.number(of: text), number.currency != nil else { return }
    guard let code = place.flatMap({ cells[$0] }) ?? stated else {
      throw DomainError(
        .invalidInput,
        "\(name): \(Quoted(text)) has a currency, but the line has none",
        hint: "write the line's currency in its own column"
      )
    }
    guard number.isIn(code) else {
      throw DomainError(
        .invalidInput,
        "\(name): \(Quoted(text)) is not in \(code), the currency of the line",
        hint: "correct one of the two"
      )
    }
  }

  /// Returns the number of a cell that may have a currency; nil for one of digits and their signs.
  private static func number(of text: String) -> WrittenNumber? {
    guard text.utf8.contains(where: { $0 > UInt8(ascii: "9") || $0 == UInt8(ascii: "$") }) else { return nil }
    return try? WrittenNumber(parsing: text.trimmingSpaces())  // another text is refused as a number
  }

  private static func isAmount(_ column: Column) -> Bool {
    switch column.kind {
    case .numeric, .real, .integer: true
    default: false
    }
  }
}
