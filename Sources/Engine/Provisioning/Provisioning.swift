package import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Makes companies what a file says, through the same use cases as the commands of people.
///
/// ```swift
/// let provisioning = try await Provisioning.open(services, operatorName: "eva", webhookFault: Webhook.fault)
/// for plan in try await provisioning.plan(document, prunes: false) {
///   try await provisioning.apply(plan, secrets: { … }) { done in print(done.step.name) }
/// }
/// ```
package struct Provisioning: Sendable {
  let services: Services
  /// The records of the database, of which a file holds some.
  package let records: Records
  let types: ProvisionedTypes
  let actor: Actor
  let webhookFault: @Sendable (String) -> String?

  /// - Parameter webhookFault: what is wrong with an address, if anything, as the sender judges it.
  package static func open(
    _ services: Services,
    operatorName: String,
    webhookFault: @escaping @Sendable (String) -> String?
  ) async throws -> Provisioning {
    let records = try await Records.open(services)
    return Provisioning(
      services: services,
      records: records,
      types: ProvisionedTypes(
        records.catalogue.types.map { .init(definition: $0.definition, workflow: $0.workflow) }
      ),
      actor: .operator(operatorName),
      webhookFault: webhookFault
    )
  }

  /// What it takes to make every company of a document what it says; nothing is written.
  ///
  /// - Throws: a refusal that names the place in the document.
  package func plan(_ document: ProvisioningDocument, prunes: Bool) async throws -> [CompanyPlan] {
    let (catalogue, schedules) = try await services.database.transaction { tx in
      (
        try PermissionCatalogue.stored(tx),
        try tx.rows("select s.name from core.app_schedule s order by s.name", String.self)
      )
    }
    let planner = ProvisioningPlanner(
      types: types,
      catalogue: catalogue,
      schedules: schedules,
      prunes: prunes
    )
    var plans: [CompanyPlan] = []
    for wanted in document.companies {
      try await check(wanted)
      guard let acting = try await acting(wanted.slug) else {
        plans.append(try planner.plan(wanted, from: nil))
        continue
      }
      let reader = StateReader(self, acting)
      let current = try await reader.company()
      let records = try await reader.records(types.ordered(wanted.records.map(\.type)))
      let plan = try planner.plan(wanted, from: current, records: records)
      try await check(plan, acting)
      plans.append(plan)
    }
    return plans
  }

  /// The companies as a document says them; the same database always gives the same one.
  ///
  /// - Parameters:
  ///   - slugs: which companies; all of them if empty.
  ///   - more: types whose records are exported beside machines and categories.
  package func export(_ slugs: [String], records more: [String]) async throws -> JSONObject {
    // An app that is not installed has none.
    let named = CompanyState.namedSections.map(\.value).filter { (try? types.type($0)) != nil }
    for type in more { _ = try types.type(type) }
    let wanted = Set(named + more)
    var companies: JSONObject = [:]
    for slug in slugs.isEmpty ? try await Companies(services).list().map(\.slug) : slugs {
      let acting = ActingContext(
        company: try await ActingContexts(services).company(slug),
        actor: actor,
        user: nil
      )
      let reader = StateReader(self, acting)
      let records = try await reader.records(types.ordered(wanted)).filter { wanted.contains($0.key) }
      companies[slug] = .object(try await reader.company().document(records: records, types: types))
    }
    return ["companies": .object(companies)]
  }

  /// The types whose records can be exported.
  package var recordTypes: [String] { types.provisionable }

  /// The operator's acting context in a company that may not be there yet.
  func acting(_ slug: String) async throws -> ActingContext? {
    let company = try await services.database.transaction { tx in try CompanyStore.find(slug: slug, tx) }
    return company.map { ActingContext(company: $0, actor: actor, user: nil) }
  }

  /// Whether overlays only tighten, as the definitions that are installed have it.
  private func check(_ plan: CompanyPlan, _ acting: ActingContext) async throws {
    for step in plan.steps {
      guard case .setOverlay(let overlay) = step.action else { continue }
      do {
        try await Workflows(services, records).setOverlay(acting, overlay.overlay, dryRun: true)
      } catch let refusal as DomainError {
        throw refusal.standing(at: step.path)
      }
    }
  }

  /// What only PostgreSQL or the sender of webhooks can judge.
  private func check(_ wanted: CompanyState) async throws {
    let path = "companies.\(wanted.slug)"
    if let zone = wanted.timeZone {
      do {
        try await services.database.transaction { tx in try TimeZoneCheck.require(zone, tx) }
      } catch let refusal as DomainError {
        throw refusal.standing(at: "\(path).timezone")
      }
    }
    let entitlements = wanted.entitlements ?? []
    let names = entitlements.isEmpty ? [] : try await Entitlements(services).names()
    for (index, entitlement) in entitlements.enumerated() where !names.contains(entitlement.name) {
      let closest = Suggestion.closest(to: entitlement.name, among: names)
      throw DomainError(
        .invalidInput,
        "no record type asks for the entitlement \(Quoted(entitlement.name))",
        hint: closest.map { "did you mean \($0)?" } ?? "there are: \(names.joined(separator: ", "))"
      ).standing(at: "\(path).entitlements[\(index)]")
    }
    for (index, webhook) in (wanted.webhooks ?? []).enumerated() {
      guard let fault = webhookFault(webhook.url) else { continue }
      throw DomainError(.invalidInput, "the address cannot be used: \(fault)")
        .standing(at: "\(path).webhooks[\(index)].url")
    }
  }
}
