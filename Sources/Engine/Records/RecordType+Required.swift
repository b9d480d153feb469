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
  func requireAll(_ fields: JSONObject) throws(DomainError) {
    try requireNone(of: required.filter { fields[$0]?.isBlank ?? true })
  }

  /// Requires that no given text of a required column shows nothing: an edit may change a required text, and not empty it.
  ///
  /// - Throws: `missing_fields` naming all such columns.
  func requireVisible(_ fields: JSONObject) throws(DomainError) {
    try requireNone(of: required.filter { fields[$0]?.string.map { !$0.isVisible } ?? false })
  }

  private func requireNone(of missing: [String]) throws(DomainError) {
    guard missing.isEmpty else {
      throw DomainError(
        .missingFields,
        "\(missing.joined(separator: ", ")) \(missing.count == 1 ? "is" : "are") missing",
        details: ["fields": .strings(missing)]
      )
    }
  }
}
