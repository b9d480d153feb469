package import Domain

/// Protein, carbohydrates and fat of a meal, a day or a goal.
package struct MacroAmounts: Sendable, Hashable {
  /// Protein, 4 kcal per gram.
  package let protein: Grams
  /// Carbohydrates, 4 kcal per gram.
  package let carbs: Grams
  /// Fat, 9 kcal per gram.
  package let fat: Grams

  /// The columns of the three amounts, in the order of the properties.
  package static let columns = ["protein_g", "carbs_g", "fat_g"]

  package init(protein: Grams, carbs: Grams, fat: Grams) {
    self.protein = protein
    self.carbs = carbs
    self.fat = fat
  }

  /// Reads the amounts from a record's fields; a missing or null amount is zero.
  ///
  /// - Throws: `invalid_number`, naming the column.
  package init(_ fields: JSONObject) throws(DomainError) {
    protein = try Self.amount("protein_g", fields)
    carbs = try Self.amount("carbs_g", fields)
    fat = try Self.amount("fat_g", fields)
  }

  /// Energy in tenths of a kilocalorie: `4 P + 4 C + 9 F`.
  package var kcalTenths: Int { 4 * protein.tenths + 4 * carbs.tenths + 9 * fat.tenths }

  /// True if all amounts are zero.
  package var isEmpty: Bool { protein.tenths + carbs.tenths + fat.tenths == 0 }

  /// Returns the fields with their amounts rounded to 0.1, as stored.
  ///
  /// - Throws: `invalid_number`, naming the column.
  package static func rounding(_ fields: JSONObject) throws(DomainError) -> JSONObject {
    var rounded = fields
    for column in columns where fields[column] != nil && fields[column] != .null {
      rounded[column] = .number(try ExactDecimal(parsing: amount(column, fields).description))
    }
    return rounded
  }

  private static func amount(_ column: String, _ fields: JSONObject) throws(DomainError) -> Grams {
    guard let value = fields[column], !value.isNull else { return .zero }
    do {
      return try Grams(value)
    } catch {
      throw DomainError(error.code, "\(column): \(error.message)", hint: error.hint, details: error.details)
    }
  }
}
