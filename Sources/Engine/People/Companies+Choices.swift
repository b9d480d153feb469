internal import Domain
internal import Postgres
internal import Store

extension Companies {
  /// Returns the settings of apps with the company's values. Requires `company.read`.
  package func settings(_ acting: ActingContext) async throws -> [(setting: CompanySetting, value: String)] {
    let known = services.rules.settings
    return try await CompanyAdministration(services).read(acting, permission: "company.read") { tx, _ in
      let chosen = try tx.value(
        "select c.settings from core.company c where c.id = \(acting.company.id)",
        as: JSON.self
      ).value().object
      return known.map { setting in
        let value = chosen?[setting.name]?.string
        return (setting, setting.choices.first { $0 == value } ?? setting.choices.first ?? "")
      }
    }
  }

  /// Chooses a value of a setting. Requires `company.update`.
  ///
  /// - Throws: `not_found` for an unknown setting, `invalid_input` for a value that is no choice.
  package func choose(_ acting: ActingContext, _ name: String, _ value: String) async throws {
    try requireChoice(name, value)
    try await CompanyAdministration(services).administer(acting, permission: "company.update") { tx, _ in
      try tx.execute(
        """
        update core.company c
        set settings = jsonb_set(c.settings, array[\(name)], to_jsonb(\(value)::text)), updated_at = now()
        where c.id = \(acting.company.id)
        """
      )
      let entry = AuditEntry(
        action: "company.setting_chosen",
        subjectType: "company",
        subjectID: acting.company.id.text,
        detail: JSON([name: .string(value)] as JSONObject)
      )
      return ((), [entry])
    }
  }

  /// Requires that a setting exists and has a value as a choice.
  ///
  /// - Throws: `not_found` for an unknown setting, `invalid_input` for a value that is no choice.
  func requireChoice(_ name: String, _ value: String) throws(DomainError) {
    let known = services.rules.settings
    guard let setting = known.first(where: { $0.name == name }) else {
      throw DomainError(
        .notFound,
        "there is no setting \(Quoted(name))",
        hint: "use one of: \(known.map(\.name).joined(separator: ", "))"
      )
    }
    guard setting.choices.contains(value) else {
      throw DomainError(
        .invalidInput,
        "\(Quoted(value)) is no value of \(name)",
        hint: "use one of: \(setting.choices.joined(separator: ", "))"
      )
    }
  }
}
