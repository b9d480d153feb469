/// The form of CSV output: by default comma-separated values with decimal points (RFC 4180).
package struct CSVDialect: Sendable, Equatable {
  /// The sign between fields, an ASCII character.
  package var delimiter: Unicode.Scalar
  /// True to write numbers with a decimal comma, as spreadsheets of many countries read them.
  package var hasDecimalComma: Bool

  package init(delimiter: Unicode.Scalar = ",", hasDecimalComma: Bool = false) {
    self.delimiter = delimiter
    self.hasDecimalComma = hasDecimalComma
  }

  /// Comma-separated values with decimal points.
  package static let standard = CSVDialect()
}
