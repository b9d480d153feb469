package import Domain
internal import Postgres
internal import Store

extension Companies {
  /// Changes the name, the time zone, the language or the apps of a company. Requires `company.update`.
  ///
  /// A new time zone affects later days only; recorded hours do not change.
  ///
  /// - Parameters:
  ///   - name: nil keeps the current name.
  ///   - timeZone: nil keeps the current time zone.
  ///   - language: nil keeps the current language.
  ///   - apps: those that the company uses from now on; nil keeps them. A disabled app keeps its records.
  /// - Throws: `invalid_time_zone` with the closest name, `not_found` for an app that is not installed.
  package func describe(
    _ acting: ActingContext,
    name: String?,
    timeZone: String?,
    language: Language? = nil,
    apps: [String]? = nil
  ) async throws {
    let display = try name.map { try DisplayName(parsing: $0) }
    try await CompanyAdministration(services).administer(acting, permission: "company.update") { tx, _ in
      let timeZone = try timeZone.map { try TimeZoneCheck.require($0, tx) }
      guard let before = try CompanyStore.find(id: acting.company.id, tx) else {
        throw DomainError(.notFound)
      }
      let chosen = try apps.map { try CompanyApps.choose($0, company: acting.company.id, tx) } ?? []
      guard display != nil || timeZone != nil || language != nil else { return ((), chosen) }
      try tx.execute(
        """
        update core.company
        set name = coalesce(\(nullable: display?.text), name), timezone = coalesce(\(nullable: timeZone), timezone),
          language = coalesce(\(nullable: language?.rawValue), language), updated_at = now()
        where id = \(acting.company.id)
        """
      )
      var detail: JSONObject = [:]
      if let display { detail["name"] = .strings([before.name, display.text]) }
      if let timeZone { detail["timezone"] = .strings([before.timeZone, timeZone]) }
      if let language { detail["language"] = .string(language.rawValue) }
      let entry = AuditEntry(
        action: "company.changed",
        subjectType: "company",
        subjectID: acting.company.id.text,
        detail: JSON(detail)
      )
      return ((), [entry] + chosen)
    }
  }
}
