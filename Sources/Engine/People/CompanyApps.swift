internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
package import Store

/// The use cases of the apps that a company uses. Its roles hold no permissions of other apps.
package struct CompanyApps: Sendable {
  private let administration: CompanyAdministration

  package init(_ services: Services) {
    administration = CompanyAdministration(services)
  }

  /// Returns every installed app, and for each whether the company uses it. Requires `company.read`.
  package func list(_ acting: ActingContext) async throws -> [CompanyAppRow] {
    try await administration.read(acting, permission: "company.read") { tx, _ in
      try CompanyAppStore.all(company: acting.company.id, tx)
    }
  }

  /// Returns the enabled apps, and whether the company chose them or uses every app.
  func choice(_ acting: ActingContext) async throws -> AppChoiceState {
    let company = acting.company.id
    return try await administration.read(acting, permission: "company.read") { tx, _ in
      AppChoiceState(
        enabled: try CompanyAppStore.all(company: company, tx).filter(\.isEnabled).map(\.app),
        isChosen: try !tx.value(
          "select c.uses_all_apps from core.company c where c.id = \(company)",
          as: Bool.self
        )
      )
    }
  }

  /// Enables or disables an app for the company. Requires `company.update`.
  ///
  /// A disabled app keeps its records. Its timers and schedules are suspended.
  ///
  /// - Throws: `not_found` with the closest app as a hint, `wrong_state` if nothing would change.
  package func setEnabled(_ isEnabled: Bool, app: String, _ acting: ActingContext) async throws {
    try await administration.administer(acting, permission: "company.update") { tx, _ in
      try Self.requireInstalled(app, tx)
      let company = acting.company
      let before = try CompanyAppStore.all(company: company.id, tx).first { $0.app == app }
      guard before?.isEnabled != isEnabled else {
        throw DomainError(
          .wrongState,
          "\(company.slug) \(isEnabled ? "uses" : "does not use") the app \(app) already"
        )
      }
      try CompanyAppStore.choose(company: company.id, tx)
      try Self.set(isEnabled, app: app, company: company.id, tx)
      try CompanyAppStore.holdTimedWork(company: company.id, tx)
      return ((), [Self.entry(isEnabled, app: app, company: company.id)])
    }
  }

  /// Makes a list of apps the company's: those on it are enabled, the others disabled. Returns what is to be audited.
  ///
  /// - Throws: `not_found` for an app that is not installed.
  static func choose(_ apps: [String], company: UUID, _ tx: Transaction) throws -> [AuditEntry] {
    for app in apps { try requireInstalled(app, tx) }
    let changed = try CompanyAppStore.all(company: company, tx).filter {
      apps.contains($0.app) != $0.isEnabled
    }
    guard !changed.isEmpty else { return [] }
    try CompanyAppStore.choose(company: company, tx)
    for row in changed { try set(!row.isEnabled, app: row.app, company: company, tx) }
    try CompanyAppStore.holdTimedWork(company: company, tx)
    return changed.map { entry(!$0.isEnabled, app: $0.app, company: company) }
  }

  private static func set(_ isEnabled: Bool, app: String, company: UUID, _ tx: Transaction) throws {
    if isEnabled {
      try CompanyAppStore.enable(app, company: company, tx)
    } else {
      try tx.execute("delete from core.company_app where company_id = \(company) and app = \(app)")
    }
  }

  private static func entry(_ isEnabled: Bool, app: String, company: UUID) -> AuditEntry {
    AuditEntry(
      action: isEnabled ? "company.app_enabled" : "company.app_disabled",
      subjectType: "company",
      subjectID: company.text,
      detail: JSON(["app": .string(app)] as JSONObject)
    )
  }

  /// Requires an installed app.
  ///
  /// - Throws: `not_found` with the closest name as a hint.
  static func requireInstalled(_ app: String, _ tx: Transaction) throws {
    let installed = try tx.rows("select a.name from core.app a order by a.name", String.self)
    guard !installed.contains(app) else { return }
    let closest = Suggestion.closest(to: app, among: installed)
    throw DomainError(
      .notFound,
      "the app \(Quoted(app)) is not installed",
      hint: closest.map { "did you mean \($0)?" } ?? "use one of: \(installed.joined(separator: ", "))"
    )
  }
}
