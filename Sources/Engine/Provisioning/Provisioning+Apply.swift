package import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

extension Provisioning {
  /// A step that was applied.
  package struct Done: Sendable {
    package let company: String
    package let step: ProvisioningStep
    /// The code of a new invite or the generated secret of a new webhook, shown only once; nil for other
    /// steps.
    package let secret: String?

    package init(company: String, step: ProvisioningStep, secret: String?) {
      self.company = company
      self.step = step
      self.secret = secret
    }
  }

  /// Applies the steps of a plan in their order, each in separate transactions.
  ///
  /// If a step is refused, the earlier ones stay applied and have been reported. Another run continues with
  /// the remaining steps.
  ///
  /// - Parameters:
  ///   - secrets: returns the secret that a reference names.
  ///   - tell: called after each step.
  /// - Throws: the refusal of a step, with the step's position in the file. If a difference cannot be removed by a
  ///   file, no step is applied.
  package func apply(
    _ plan: CompanyPlan,
    secrets: @escaping @Sendable (SecretReference) throws -> String,
    tell: (Done) throws -> Void
  ) async throws {
    try plan.requirePossible()
    guard !plan.steps.isEmpty else { return }
    var runner = StepRunner(provisioning: self, plan: plan, secrets: secrets)
    for step in plan.steps {
      let secret: String?
      do {
        secret = try await runner.run(step)
      } catch let refusal as DomainError {
        throw refusal.standing(at: step.path)
      }
      try tell(Done(company: plan.company, step: step, secret: secret))
    }
  }
}

/// Applies the steps of one company's plan.
private struct StepRunner {
  let provisioning: Provisioning
  let plan: CompanyPlan
  let secrets: @Sendable (SecretReference) throws -> String
  /// The ids of the existing records by type and key; nil before they are needed.
  private var ids: [String: [RecordKey: UUID]]?
  /// The ids of records created by this run; of equal keys, the last one.
  private var created: [String: [RecordKey: UUID]] = [:]
  private var acting: ActingContext?

  init(
    provisioning: Provisioning,
    plan: CompanyPlan,
    secrets: @escaping @Sendable (SecretReference) throws -> String
  ) {
    self.provisioning = provisioning
    self.plan = plan
    self.secrets = secrets
  }

  private var services: Services { provisioning.services }
  private var records: Records { provisioning.records }

  /// Applies one step.
  ///
  /// - Returns: a secret to show once; nil if there is none.
  mutating func run(_ step: ProvisioningStep) async throws -> String? {
    if case .createCompany(let owner) = step.action {
      try await create(owner: owner)
      return nil
    }
    let acting = try await currentContext()
    switch step.action {
    case .createCompany: break
    case .describeCompany(let name, let timeZone):
      try await Companies(services).describe(acting, name: name, timeZone: timeZone)
    case .setCompanyStatus(let status):
      try await Companies(services).setStatus(acting, to: status)
    case .enableApp(let app): try await CompanyApps(services).setEnabled(true, app: app, acting)
    case .disableApp(let app): try await CompanyApps(services).setEnabled(false, app: app, acting)
    case .defineRole(let role):
      try await Roles(services).define(
        acting,
        name: role.name,
        label: role.label,
        permissions: role.permissions
      )
    case .removeRole(let role): try await remove(role, acting)
    case .addMember(let member, let role):
      let name = member.name ?? String(member.email.prefix { $0 != "@" })
      _ = try await Members(services).add(acting, email: member.email, name: name, role: role)
    case .setRole(let member, let role):
      try await Members(services).setRole(acting, member: member.email, role: role)
    case .renameMember(let member, let name):
      _ = try await Members(services).update(acting, member: member.email, name: name)
    case .setMemberStatus(let member, let status):
      try await Members(services).setStatus(acting, member: member.email, status: status)
    case .createInvite(let invite):
      return try await Invites(services).create(
        acting,
        role: invite.role,
        uses: invite.uses,
        days: invite.days,
        email: invite.email
      ).code
    case .revokeInvite(let invite): try await Invites(services).revoke(acting, invite: invite.id ?? "")
    case .addWebhook(let webhook): return try await add(webhook, acting)
    case .changeWebhook(let webhook, let id):
      try await WebhookAdministration(services).change(
        acting,
        id: Self.uuid(id),
        events: webhook.events,
        isActive: webhook.isActive
      )
    case .removeWebhook(let id): try await WebhookAdministration(services).remove(acting, id: Self.uuid(id))
    case .grantEntitlement(let entitlement):
      try await Entitlements(services).grant(
        acting,
        name: entitlement.name,
        to: entitlement.member,
        from: entitlement.from,
        until: entitlement.until
      )
    case .revokeEntitlement(let entitlement):
      try await Entitlements(services).revoke(acting, name: entitlement.name, from: entitlement.member)
    case .setQuota(let type, let maximum):
      try await Quotas(services, records).set(acting, [(type: type, maximum: maximum)])
    case .limitQueue(let limit): try await set(limit, running: limit.running, rate: limit.rate, acting)
    case .unlimitQueue(let limit): try await set(limit, running: nil, rate: nil, acting)
    case .followWorkflow(let choice):
      _ = try await Workflows(services, records).activate(acting, type: choice.type, version: choice.version)
    case .setNumberFormat(let number):
      try await NumberSeries(services, records)
        .set(acting, type: number.type, format: number.format, next: nil)
    case .chooseSetting(let setting):
      try await Companies(services).choose(acting, setting.name, setting.value)
    case .pauseSchedule(let name): try await pause(name, acting)
    case .resumeSchedule(let name): try await Schedules(services).resume(acting, name: name)
    case .setOverlay(let overlay):
      try await Workflows(services, records).setOverlay(acting, overlay.overlay)
    case .removeOverlay(let overlay):
      let version = overlay.overlay.version
      try await Workflows(services, records).removeOverlay(
        acting,
        of: overlay.overlay.workflow,
        version: version
      )
    default: try await runOnRecord(step, acting)
    }
    return nil
  }

  private func set(
    _ limit: QueueLimitState,
    running: Int?,
    rate: JobRate?,
    _ acting: ActingContext
  ) async throws {
    try await QueueAdministration(services).limit(
      acting,
      queue: limit.queue,
      kind: limit.kind,
      forEach: false,
      maxRunning: running,
      rate: rate.map { JobRules.Limit.Rate(count: $0.count, period: .seconds($0.seconds)) }
    )
  }

  /// Pauses a schedule. Listing the schedules first creates them in a new company.
  private func pause(_ name: String, _ acting: ActingContext) async throws {
    _ = try await Schedules(services).list(acting)
    try await Schedules(services).pause(acting, name: name)
  }

  private mutating func runOnRecord(_ step: ProvisioningStep, _ acting: ActingContext) async throws {
    switch step.action {
    case .createRecord(let type, let record):
      let fields = try await resolved(record.fields, of: type, acting)
      let made = try await records.create(acting, type: type, fields: fields)
      ids?[type, default: [:]][record.key] = made.id
      created[type, default: [:]][record.key] = made.id
    case .updateRecord(let type, let id, let fields):
      let fields = try await resolved(fields, of: type, acting)
      _ = try await records.update(acting, type: type, id: Self.uuid(id), fields: fields)
    case .moveRecord(let type, let id, let key, let transitions):
      let known = try id.map(Self.uuid) ?? created[type]?[key]
      let id = if let known { known } else { try await self.id(of: key, type, acting) }
      for transition in transitions {
        let request = TransitionRequest(transition, comment: "as the provisioning file says")
        _ = try await records.transition(acting, type: type, id: id, request: request)
      }
    case .deleteRecord(let type, let id):
      let comment = "not in the provisioning file"
      _ = try await records.delete(acting, type: type, id: Self.uuid(id), comment: comment)
    default: break
    }
  }

  private mutating func currentContext() async throws -> ActingContext {
    if let acting { return acting }
    guard let found = try await provisioning.acting(plan.company) else {
      throw DomainError(.notFound, "there is no company \(Quoted(plan.company))")
    }
    acting = found
    return found
  }

  private mutating func create(owner: MemberState) async throws {
    let wanted = plan.wanted
    let created = try await Companies(services).create(
      slug: wanted.slug,
      name: wanted.name ?? wanted.slug,
      kind: wanted.kind ?? .business,
      timeZone: wanted.timeZone ?? "UTC",
      apps: wanted.apps?.enabled,
      owner: (email: owner.email, name: owner.name ?? String(owner.email.prefix { $0 != "@" })),
      actor: provisioning.actor
    )
    let acting = ActingContext(company: created.company, actor: provisioning.actor, user: nil)
    self.acting = acting
    // As with `fettle company create`, apps create starting records, except for types in the file.
    try await services.rules.createStartingRecords(
      in: acting,
      services,
      records,
      except: Set(wanted.records.map(\.type))
    )
  }

  /// Deletes a role. A role to which members or invites refer keeps its name and loses its permissions.
  private func remove(_ role: RoleState, _ acting: ActingContext) async throws {
    do {
      try await Roles(services).delete(acting, name: role.name)
    } catch let refusal as DomainError where refusal.code == .stillReferenced {
      try await Roles(services).define(acting, name: role.name, permissions: [])
    }
  }

  private func add(_ webhook: WebhookState, _ acting: ActingContext) async throws -> String? {
    let given = try webhook.secret.map(secrets)
    let added = try await WebhookAdministration(services).add(
      acting,
      url: webhook.url,
      events: webhook.events,
      secret: given.map { Array($0.utf8) },
      fault: provisioning.webhookFault
    )
    if !webhook.isActive {
      try await WebhookAdministration(services).change(
        acting,
        id: added.id,
        events: webhook.events,
        isActive: false
      )
    }
    return given == nil ? added.secret : nil
  }

  /// Returns the fields with members and records named by id instead of by email address or key.
  private mutating func resolved(_ fields: JSONObject, of type: String, _ acting: ActingContext) async throws
    -> JSONObject
  {
    let entry = try provisioning.types.type(type)
    var result: JSONObject = [:]
    for (column, value) in fields.members {
      guard let target = entry.reference(column)?.target, !value.isNull else {
        result[column] = value
        continue
      }
      if target == "core.membership" {
        result[column] = .string(
          try await ActingContexts(services).member(value.string ?? "", of: acting.company).userID.text
        )
      } else {
        result[column] = .string(try await id(of: RecordKey(value.array ?? [value]), target, acting).text)
      }
    }
    return result
  }

  private mutating func id(of key: RecordKey, _ type: String, _ acting: ActingContext) async throws -> UUID {
    if ids == nil {
      let names = provisioning.types.ordered(plan.wanted.records.map(\.type))
      ids = try await StateReader(provisioning, acting).records(names).mapValues { records in
        Dictionary(
          try records.compactMap { record in try record.id.map { (record.key, try Self.uuid($0)) } },
          uniquingKeysWith: { first, _ in first }
        )
      }
    }
    guard let id = ids?[type]?[key] else {
      throw DomainError(.notFound, "there is no \(type) \(Quoted(key.text))")
    }
    return id
  }

  private static func uuid(_ text: String) throws -> UUID {
    guard let id = UUID(text: text) else {
      throw DomainError(.invalidID, "\(Quoted(text)) is not an id")
    }
    return id
  }
}
