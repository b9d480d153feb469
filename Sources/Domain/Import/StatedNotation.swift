/// The notation of numbers and dates in a file, as far as the user states it.
package struct StatedNotation: Sendable, Hashable {
  /// The sign before decimals; nil if it is to be found out, column by column.
  package let decimal: DecimalSign?
  /// The only sign between thousands; nil for any.
  package let thousands: ThousandsSign?
  /// The format of dates; nil if it is to be found out, column by column.
  package let dates: DateFormat?

  /// A point or comma between thousands leaves the other one for decimals.
  ///
  /// - Throws: `invalid_input` if decimals and thousands have the same sign.
  package init(
    decimal: DecimalSign? = nil,
    thousands: ThousandsSign? = nil,
    dates: DateFormat? = nil
  ) throws(DomainError) {
    guard decimal == nil || decimal?.rawValue != thousands?.rawValue else {
      throw DomainError(
        .invalidInput,
        "--decimal and --thousands are both \(decimal?.rawValue ?? "")",
        hint: "leave out --thousands"
      )
    }
    self.decimal = decimal ?? (thousands == .comma ? .point : thousands == .point ? .comma : nil)
    self.thousands = thousands
    self.dates = dates
  }

  private init() {
    (decimal, thousands, dates) = (nil, nil, nil)
  }

  /// Nothing is stated.
  package static let none = StatedNotation()
}
