internal import Domain
internal import Store

extension RecordType {
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
