internal import Domain
internal import Store

/// Finds out the notation of a file's columns from all their values, before the first record is written.
struct NotationEvidence {
  private enum Evidence {
    case numbers(NumberEvidence)
    case dates(DateEvidence)
    case other
  }

  private let columns: [Column]
  private let stated: StatedNotation
  private let thousands: ThousandsSign?
  private var evidence: [Evidence]

  /// - Parameter hasThousands: false if the file has no sign between thousands, unless one is stated.
  init(_ targets: [ImportMapping.Target], _ stated: StatedNotation, hasThousands: Bool) {
    columns = targets.map(\.column)
    self.stated = stated
    let thousands = stated.thousands ?? (hasThousands ? nil : ThousandsSign.none)
    self.thousands = thousands
    evidence = targets.map { target in
      guard case .column(let column) = target else { return .other }
      switch column.kind {
      case .numeric, .real, .integer: return .numbers(NumberEvidence(thousands: thousands))
      case .date, .instant: return .dates(DateEvidence())
      default: return .other
      }
    }
  }

  /// Takes the cells of a line.
  mutating func take(_ row: ImportRow) {
    for (index, cell) in row.cells.enumerated() where !row.exact.contains(index) && !cell.isEmpty {
      switch evidence[index] {
      case .numbers(var numbers):
        evidence[index] = .other  // keeps the only reference, so that nothing is copied
        numbers.take(cell.trimmingSpaces(), line: row.line)
        evidence[index] = .numbers(numbers)
      case .dates(var dates):
        evidence[index] = .other
        dates.take(cell.trimmingSpaces(), line: row.line)
        evidence[index] = .dates(dates)
      case .other: break
      }
    }
  }

  /// Returns the notation of each column.
  ///
  /// - Parameter namesCurrency: false if the type has a column `currency` that nothing fills.
  /// - Throws: `invalid_import` if a column can be read in two ways.
  func notations(namesCurrency: Bool) throws(DomainError) -> [ColumnNotation] {
    var notations: [ColumnNotation] = []
    for (column, evidence) in zip(columns, evidence) {
      var notation = ColumnNotation()
      switch evidence {
      case .numbers(let numbers):
        notation.decimal = try numbers.decimal(stated: stated.decimal, of: column.name)
        notation.thousands = thousands
        guard namesCurrency || !numbers.hasCurrency else {
          throw DomainError(
            .invalidImport,
            "\(column.name) has amounts with a currency, but nothing fills the field currency",
            hint: "add `--set currency=EUR`, or map a column of the file to currency"
          )
        }
      case .dates(let dates): notation.dates = try dates.format(stated: stated.dates, of: column.name)
      case .other: break
      }
      notations.append(notation)
    }
    return notations
  }

  /// The instants in columns of dates.
  var instants: Set<Instant> {
    zip(columns, evidence).reduce(into: []) { all, column in
      if column.0.kind == .date, case .dates(let dates) = column.1 { all.formUnion(dates.instants) }
    }
  }
}
