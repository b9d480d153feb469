package import Domain

/// Normalises and checks the written fields of an item, as far as one item is enough for it.
package enum ItemFields {
  /// Returns the fields with distinct tags, an exact price and a currency in capitals.
  ///
  /// - Throws: `invalid_number` for a price with more than two decimals, which is refused rather than
  ///   rounded; `invalid_input` for an invalid tag or currency.
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

  /// The warranty of an item with all its fields. Refuses values for which PostgreSQL would compute a wrong
  /// date.
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
    return try Warranty(purchased: LocalDate(parsing: text), months: Int(clamping: months))
  }

  private static func price(_ text: String) throws(DomainError) -> ExactDecimal {
    let amount = try Money(parsing: text)
    guard amount.hundredths >= 0 else {
      throw DomainError(.invalidNumber, "purchase_price: \(text) is less than nothing")
    }
    return try ExactDecimal(parsing: amount.amount)
  }
}
