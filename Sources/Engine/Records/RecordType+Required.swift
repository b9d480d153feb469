internal import Domain
internal import Store

extension RecordType {
  /// Names every required column that has no value yet, all at once.
  ///
  /// - Throws: `missing_fields`.
  func requireAll(_ fields: JSONObject) throws {
    let stamped = Set(RecordTypeDefinition.baseColumns + ["status", "status_category"])
    let missing = columns.filter { column in
      !column.isNullable && !column.hasDefault && !column.isGenerated && !stamped.contains(column.name)
        && (fields[column.name]?.isBlank ?? true)
    }.map(\.name)
    guard missing.isEmpty else {
      throw DomainError(
        .missingFields,
        "\(missing.joined(separator: ", ")) \(missing.count == 1 ? "is" : "are") missing",
        details: ["fields": .strings(missing)]
      )
    }
  }
}
