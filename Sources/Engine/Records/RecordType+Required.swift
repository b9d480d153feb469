internal import Domain
internal import Store

extension RecordType {
  /// The names of the columns that need a value from the caller or the type's rule.
  var required: [String] {
    let stamped = Set(RecordTypeDefinition.baseColumns + ["status", "status_category"])
    return columns.filter { column in
      !column.isNullable && !column.hasDefault && !column.isGenerated && !stamped.contains(column.name)
    }.map(\.name)
  }

  /// Requires that a private record has an owner.
  ///
  /// - Throws: `invalid_input` if an operator acts in their own name.
  func requireOwner(_ acting: ActingContext) throws(DomainError) {
    guard definition.scope == .owner, acting.user == nil else { return }
    throw DomainError(
      .invalidInput,
      "\(definition.plural.lowercased()) are private to the member who creates them",
      hint: "name the member with --as"
    )
  }

  /// Requires values in all required columns.
  ///
  /// - Throws: `missing_fields` naming all missing columns.
  func requireAll(_ fields: JSONObject) throws {
    let missing = required.filter { fields[$0]?.isBlank ?? true }
    guard missing.isEmpty else {
      throw DomainError(
        .missingFields,
        "\(missing.joined(separator: ", ")) \(missing.count == 1 ? "is" : "are") missing",
        details: ["fields": .strings(missing)]
      )
    }
  }
}
