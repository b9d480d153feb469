package import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Brings companies to the state that a file describes, through the same use cases as the commands.
///
/// ```swift
/// let provisioning = try await Provisioning.open(services, operatorName: "eva", webhookFault: Webhook.fault)
/// for plan in try await provisioning.plan(document, prunes: false) {
///   try await provisioning.apply(plan, secrets: { … }) { done in print(done.step.name) }
/// }
/// ```
package struct Provisioning: Sendable {
  let services: Services
  /// The use cases of records, with the catalogue read by ``open(_:operatorName:webhookFault:)``.
  package let records: Records
  let types: ProvisionedTypes
  let actor: Actor
  let webhookFault: @Sendable (String) -> String?

  /// Reads the catalogue and returns the use cases for an operator.
  ///
  /// - Parameter webhookFault: returns the reason why a webhook's URL is invalid; nil if it is valid.
  package static func open(
    _ services: Services,
    operatorName: String,
    webhookFault: @escaping @Sendable (String) -> String?
  ) async throws -> Provisioning {
    let records = try await Records.open(services)
    let unique = try await uniqueTypes(records.catalogue.types.map(\.definition), services)
    return Provisioning(
      services: services,
      records: records,
      types: ProvisionedTypes(
        records.catalogue.types.map {
          .init(definition: $0.definition, workflow: $0.workflow, isUnique: unique.contains($0.name))
        }
      ),
      actor: .operator(operatorName),
      webhookFault: webhookFault
    )
  }

  /// Returns the types with a unique index whose columns are all key columns, or columns computed from them.
  private static func uniqueTypes(_ types: [RecordTypeDefinition], _ services: Services) async throws -> Set<
    String
  > {
    let indexes = try await services.database.transaction { tx in
      try tx.rows(
        """
        select t.name,
          array(
            select a.attname::text from pg_attribute a where a.attrelid = i.indrelid and a.attnum = any (i.indkey)
          )
        from core.record_type t
        join pg_class c on c.relname = t.table_name and c.relnamespace = to_regnamespace(t.table_schema)
        join pg_index i on i.indrelid = c.oid
        where i.indisunique and not i.indisprimary and i.indexprs is null
        """,
        String.self,
        [String].self
      )
    }
    let keys = Dictionary(types.map { ($0.name, $0.key) }) { first, _ in first }
    return Set(
      indexes.filter { name, columns in
        let key = keys[name] ?? []
        return Set(columns).isSubset(of: Set(["company_id"] + key + key.map { "\($0)_key" }))
      }.map(\.0)
    )
  }

  /// Returns the steps that bring every company to the state of a document; writes nothing.
  ///
  /// - Parameter prunes: true to plan the removal of objects that the document does not contain.
  /// - Throws: a refusal with the position in the document.
  package func plan(_ document: ProvisioningDocument, prunes: Bool) async throws -> [CompanyPlan] {
    let (catalogue, schedules, versions) = try await services.database.transaction { tx in
      (
        try PermissionCatalogue.stored(tx),
        try tx.rows("select s.name from core.app_schedule s order by s.name", String.self),
        try tx.rows(
          "select w.record_type, w.version from core.workflow_definition w order by w.version",
          String.self,
          Int.self
        )
      )
    }
    let planner = ProvisioningPlanner(
      types: types,
      catalogue: catalogue,
      schedules: schedules,
      prunes: prunes
    )
    let installed = Dictionary(grouping: versions) { $0.0 }.mapValues { $0.map(\.1) }
    var plans: [CompanyPlan] = []
    for wanted in document.companies {
      try check(wanted, installed)
      guard let acting = try await acting(wanted.slug) else {
        try await check(wanted, beside: nil)
        plans.append(try planner.plan(wanted, from: nil))
        continue
      }
      do throws(DomainError) {
        try acting.company.requireOrdinary()
      } catch { throw error.standing(at: "companies.\(wanted.slug)") }
      let reader = StateReader(self, acting)
      let current = try await reader.company()
      try await check(wanted, beside: current)
      let records = try await reader.records(types.ordered(wanted.records.map(\.type)))
      let plan = try planner.plan(wanted, from: current, records: records)
      try await check(plan, acting)
      plans.append(plan)
    }
    return plans
  }

  /// Returns a document with the state of companies. The same data always produces the same document.
  ///
  /// - Parameters:
  ///   - slugs: the companies; empty for all that are not erased.
  ///   - named: true to include the records of every type whose records have a name.
  ///   - more: further types whose records to include.
  /// - Throws: `invalid_input` for the system company, an erased one, or a type with more than 100,000
  ///   records; `not_found` for an unknown company; `unknown_type`.
  package func export(_ slugs: [String], named: Bool = true, records more: [String] = []) async throws
    -> JSONObject
  {
    try await exportNaming(slugs, named: named, records: more).document
  }

  /// Returns a document as ``export(_:named:records:)``, and what of the companies it does not contain.
  package func exportNaming(_ slugs: [String], named: Bool = true, records more: [String] = []) async throws
    -> (document: JSONObject, leftOut: [LeftOut])
  {
    for type in more { _ = try types.type(type) }
    let wanted = Set((named ? types.named : []) + more)
    var companies: JSONObject = [:]
    var leftOut: [LeftOut] = []
    for slug in slugs.isEmpty ? try await existing() : slugs {
      let acting = ActingContext(
        company: try await ActingContexts(services).company(slug),
        actor: actor,
        user: nil
      )
      try acting.company.requireOrdinary()
      guard acting.company.status != .erased else {
        throw DomainError(
          .invalidInput,
          "\(slug) is \(acting.company.status.rawValue) and cannot be exported"
        )
      }
      let reader = StateReader(self, acting)
      let records = try await reader.records(types.ordered(wanted)).filter { wanted.contains($0.key) }
      let state = try await reader.company()
      companies[slug] = .object(try state.document(records: records, types: types))
      let counts = records.mapValues { Int64($0.count) }
      leftOut += try await reader.leftOut(of: state, beside: named || !more.isEmpty ? counts : nil)
    }
    return (["companies": .object(companies)], leftOut)
  }

  private func existing() async throws -> [String] {
    try await Companies(services).list().filter { $0.status != .erased }.map(\.slug)
  }

  /// The user info for decoding a file, which contains the sections of the installed record types.
  package var userInfo: [CodingUserInfoKey: Any] { types.userInfo }

  /// The names of the types whose records can be exported.
  package var recordTypes: [String] { types.provisionable }

  /// Returns the operator's acting context in a company; nil if it does not exist.
  func acting(_ slug: String) async throws -> ActingContext? {
    let company = try await services.database.transaction { tx in try CompanyStore.find(slug: slug, tx) }
    return company.map { ActingContext(company: $0, actor: actor, user: nil) }
  }

  /// Checks by dry runs that overlays only tighten and that the company can follow the workflow versions.
  private func check(_ plan: CompanyPlan, _ acting: ActingContext) async throws {
    for step in plan.steps {
      do {
        switch step.action {
        // If the file also chooses the workflow's version, the step itself checks the overlay later.
        case .setOverlay(let overlay) where !plan.follows(overlay.overlay.workflow):
          try await Workflows(services, records).setOverlay(acting, overlay.overlay, dryRun: true)
        case .followWorkflow(let choice):
          _ = try await Workflows(services, records)
            .activate(acting, type: choice.type, version: choice.version, dryRun: true)
        default: break
        }
      } catch let refusal as DomainError {
        throw refusal.standing(at: step.path)
      }
    }
  }

  /// Checks that the chosen workflow versions are installed.
  private func check(_ wanted: CompanyState, _ installed: [String: [Int]]) throws {
    for choice in wanted.workflows ?? [] {
      guard let versions = installed[choice.type], !versions.contains(choice.version) else { continue }
      throw DomainError(
        .notFound,
        "\(choice.type) has no installed version \(choice.version)",
        hint: "use one of: \(versions.map { String($0) }.joined(separator: ", "))"
      ).standing(at: "companies.\(wanted.slug).workflows.\(choice.type)")
    }
  }

  /// Checks new values that only PostgreSQL or the sender of webhooks can validate. Values that the company
  /// already has are not checked again.
  private func check(_ wanted: CompanyState, beside current: CompanyState?) async throws {
    let path = "companies.\(wanted.slug)"
    if let apps = wanted.apps?.enabled {
      try await services.database.transaction { tx in
        for app in apps {
          do {
            try CompanyApps.requireInstalled(app, tx)
          } catch let refusal as DomainError {
            throw refusal.standing(at: "\(path).apps")
          }
        }
      }
    }
    if let zone = wanted.timeZone, zone != current?.timeZone {
      do {
        try await services.database.transaction { tx in _ = try TimeZoneCheck.require(zone, tx) }
      } catch let refusal as DomainError {
        throw refusal.standing(at: "\(path).timezone")
      }
    }
    let entitlements = wanted.entitlements ?? []
    let present = Set((current?.entitlements ?? []).map(\.name))
    let names = entitlements.isEmpty ? [] : try await Entitlements(services).names()
    for (index, entitlement) in entitlements.enumerated()
    where !names.contains(entitlement.name) && !present.contains(entitlement.name) {
      let closest = Suggestion.closest(to: entitlement.name, among: names)
      throw DomainError(
        .invalidInput,
        "no record type requires the entitlement \(Quoted(entitlement.name))",
        hint: closest.map { "did you mean \($0)?" } ?? "use one of: \(names.joined(separator: ", "))"
      ).standing(at: "\(path).entitlements[\(index)]")
    }
    for setting in wanted.settings ?? [] {
      do throws(DomainError) {
        try Companies(services).requireChoice(setting.name, setting.value)
      } catch {
        throw error.standing(at: "\(path).settings.\(setting.name)")
      }
    }
    let addresses = Set((current?.webhooks ?? []).map(\.url))
    for (index, webhook) in (wanted.webhooks ?? []).enumerated() where !addresses.contains(webhook.url) {
      guard let fault = webhookFault(webhook.url) else { continue }
      throw DomainError(.invalidInput, "the address cannot be used: \(fault)")
        .standing(at: "\(path).webhooks[\(index)].url")
    }
  }
}

extension CompanyPlan {
  /// True if a step of the plan changes the version of a workflow.
  fileprivate func follows(_ workflow: String) -> Bool {
    steps.contains { step in
      if case .followWorkflow(let choice) = step.action { choice.type == workflow } else { false }
    }
  }
}
