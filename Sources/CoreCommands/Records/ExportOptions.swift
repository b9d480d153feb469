package import ArgumentParser
package import Domain
package import Engine
package import Terminal

/// The form of exported rows.
package struct ExportForm: Sendable {
  package var csv = CSVDialect.standard
  package var encoding = FileEncoding.utf8
  /// True to begin with a byte order mark.
  package var hasMark = false
  /// The format of dates; nil for the year first.
  package var dates: DateFormat?

  package init() {}

  /// Returns a cell in the form: a date in its format.
  ///
  /// - Parameter isDate: true for a column of dates.
  package func cell(_ cell: Cell, isDate: Bool) -> Cell {
    guard isDate, let dates, case .string(let text) = cell, let date = LocalDate(iso: text) else {
      return cell
    }
    return .string(dates.text(date))
  }
}

/// The program for which a file is exported.
package enum ExportTarget: String, CaseIterable, Sendable, ExpressibleByArgument {
  case excel
}

/// Options for the form of an exported CSV file. An import has the same.
package struct ExportOptions: ParsableArguments {
  @Option(
    name: .customLong("for"),
    help: ArgumentHelp(
      "Program that opens the file: excel, for a byte order mark, semicolons and decimal commas",
      valueName: "program"
    )
  )
  package var target: ExportTarget?

  @Option(
    help: ArgumentHelp("Sign between fields (default: comma; for excel: semicolon)", valueName: "sign"),
    completion: .list(["comma", "semicolon", "tab", "pipe"])
  )
  package var delimiter: String?

  @Option(
    help: ArgumentHelp("Encoding of the file (default: utf-8)", valueName: "encoding"),
    completion: .list(FileEncoding.allCases.map(\.rawValue))
  )
  package var encoding: String?

  @Option(
    help: ArgumentHelp(
      "Sign before decimals: point or comma (default: point; for excel: comma)",
      valueName: "sign"
    ),
    completion: .list(DecimalSign.allCases.map(\.rawValue))
  )
  package var decimal: String?

  @Option(
    help: ArgumentHelp("Format of dates, such as dd.mm.yyyy (default: yyyy-mm-dd)", valueName: "format"),
    completion: .list(["yyyy-mm-dd", "dd/mm/yyyy", "mm/dd/yyyy", "dd.mm.yyyy"])
  )
  package var dateFormat: String?

  package init() {}

  /// Returns the form that the options describe.
  ///
  /// - Throws: `invalid_input` for an unknown name, and for another output format than CSV.
  package func form(_ output: OutputFormat) throws -> ExportForm {
    var form = ExportForm()
    let isStated = target != nil || [delimiter, encoding, decimal, dateFormat].contains { $0 != nil }
    guard isStated else { return form }
    guard output == .csv else {
      throw DomainError(
        .invalidInput,
        "only CSV has a delimiter, an encoding and formats of numbers and dates",
        hint: "remove --output \(output.rawValue)"
      )
    }
    if target == .excel { form.csv = CSVDialect(delimiter: ";", hasDecimalComma: true) }
    form.hasMark = target == .excel
    if let delimiter { form.csv.delimiter = Unicode.Scalar(try FileLayout.delimiter(named: delimiter)) }
    if let decimal { form.csv.hasDecimalComma = try NumberOptions.decimal(decimal) == .comma }
    if let encoding { form.encoding = try FileEncoding(named: encoding) }
    // A reader recognises UTF-16 by its mark only; Windows-1252 has none.
    if [.utf16, .utf16LittleEndian, .utf16BigEndian].contains(form.encoding) { form.hasMark = true }
    form.dates = try dateFormat.map { text in try DateFormat(parsing: text) }
    return form
  }
}
