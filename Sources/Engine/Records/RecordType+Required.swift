internal import Domain
internal import Store

extension RecordType {
  /// The columns that require a value from the caller or the engine.
  var required: [String] {
    let stamped = Set(RecordTypeDefinition.baseColumns + ["status", "status_category"])
    return columns.filter { column in
      !column.isNullable && !column.hasDefault && !column.isGenerated && !stamped.contains(column.name)
    }.map(\.name)
  }

  /// Requires an owner for a private record.
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

  /// Requires values in all required columns and reports all missing ones together.
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
