package import Domain

/// Normalises and checks the fields of an item without reading other rows.
package enum ItemFields {
  /// Returns the fields with distinct tags, an exact price, a currency in capitals, and without spaces around
  /// category, name and location.
  ///
  /// - Throws: `invalid_number` for a price that is not a number, is negative, has more than two decimals (it
  ///   is not rounded), or is 10,000,000,000 or more; `invalid_input` for an invalid tag or currency.
  package static func normalised(_ fields: JSONObject) throws(DomainError) -> JSONObject {
    var normal = fields
    if let tags = fields["tags"] { normal["tags"] = .strings(try TagList(tags).tags) }
    if let text = fields["currency"]?.string {
      let code = text.trimmingSpaces().uppercased()
      _ = try Money(parsing: "0", currency: code)
      normal["currency"] = .string(code)
    }
    for column in ["category", "name", "location"] {
      if let text = fields[column]?.string { normal[column] = .string(text.trimmingSpaces()) }
    }
    switch fields["purchase_price"] {
    case .number(let number)?: normal["purchase_price"] = .number(try price(number.canonicalText))
    case .string(let text)?: normal["purchase_price"] = .number(try price(text.trimmingSpaces()))
    default: break
    }
    return normal
  }

  /// Returns the warranty of an item; nil without a purchase date.
  ///
  /// Checks the values from which PostgreSQL computes the last day of the warranty.
  ///
  /// - Parameter fields: all fields of the item, not only the changed ones.
  /// - Throws: `invalid_number` unless the months are a whole number from 0 to 1,200; `invalid_date` for an
  ///   invalid purchase date, or a last day after the year 9999 or before the purchase.
  package static func warranty(_ fields: JSONObject) throws(DomainError) -> Warranty? {
    guard let text = fields["purchase_date"]?.string else { return nil }
    let months: Int64
    switch fields["warranty_months"] {
    case .number(let number)?:
      guard let integer = number.integer else {
        throw DomainError(.invalidNumber, "warranty_months: \(number) is not a whole number")
      }
      months = integer
    case .string(let text)?:
      guard let integer = Int64(text.trimmingSpaces()) else {
        throw DomainError(.invalidNumber, "warranty_months: \(Quoted(text)) is not a whole number")
      }
      months = integer
    default: months = 0
    }
    let last = fields["warranty_until"]?.string?.trimmingSpaces() ?? ""
    return try Warranty(
      purchased: LocalDate(parsing: text),
      months: Int(clamping: months),
      until: last.isEmpty ? nil : LocalDate(parsing: last)
    )
  }

  private static func price(_ text: String) throws(DomainError) -> ExactDecimal {
    let amount = try Money(parsing: text)
    guard amount.hundredths >= 0 else {
      throw DomainError(.invalidNumber, "purchase_price: \(text) is negative")
    }
    return try ExactDecimal(parsing: amount.amount)
  }
}
