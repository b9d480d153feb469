internal import Domain
internal import Store

extension RecordType {
  /// The columns that somebody or something has to give a value.
  var required: [String] {
    let stamped = Set(RecordTypeDefinition.baseColumns + ["status", "status_category"])
    return columns.filter { column in
      !column.isNullable && !column.hasDefault && !column.isGenerated && !stamped.contains(column.name)
    }.map(\.name)
  }

  /// Private records have an owner.
  ///
  /// - Throws: `invalid_input` for an operator in their own name.
  func requireOwner(_ acting: ActingContext) throws(DomainError) {
    guard definition.scope == .owner, acting.user == nil else { return }
    throw DomainError(
      .invalidInput,
      "\(definition.plural.lowercased()) are private to the member who makes them",
      hint: "name the member with --as"
    )
  }

  /// Names every required column that has no value yet, all at once.
  ///
  /// - Throws: `missing_fields`.
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
