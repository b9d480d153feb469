internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// Reads the state of a company from the database.
struct StateReader {
  let provisioning: Provisioning
  let acting: ActingContext

  init(_ provisioning: Provisioning, _ acting: ActingContext) {
    self.provisioning = provisioning
    self.acting = acting
  }

  /// Returns the state of the company without its records.
  func company() async throws -> CompanyState {
    let services = provisioning.services
    var state = CompanyState(slug: acting.company.slug)
    state.name = acting.company.name
    state.kind = CompanyKind(rawValue: acting.company.kind)
    state.timeZone = acting.company.timeZone
    state.status = acting.company.status
    let roles = try await Roles(services).list(acting).filter { !$0.isBuiltIn }
    let referred = try await referredRoles()
    state.roles = roles.map { role in
      RoleState(
        name: role.name,
        label: role.label,
        permissions: role.permissions,
        isReferred: referred.contains(role.name)
      )
    }
    state.members = try await Members(services).list(acting).map { member in
      MemberState(
        email: member.email,
        name: member.name,
        role: member.role,
        status: member.status
      )
    }
    state.invites = try await Invites(services).list(acting).filter { $0.state == "active" }.map { listed in
      let microseconds = listed.invite.expiresAt.microseconds - listed.invite.createdAt.microseconds
      return InviteState(
        role: listed.invite.role,
        uses: listed.invite.maxUses,
        days: Int(clamping: (Double(microseconds) / 86_400_000_000).rounded()),
        email: listed.invite.email,
        id: listed.invite.id.text
      )
    }
    state.webhooks = try await WebhookAdministration(services).list(acting).map { hook in
      WebhookState(url: hook.url, events: hook.events, isActive: hook.isActive, id: hook.id.text)
    }
    let now = try await services.database.value("select now()", as: Instant.self)
    state.entitlements = try await Entitlements(services).list(acting).map { row in
      EntitlementState(
        name: row.name,
        member: row.member,
        from: row.validFrom > now ? row.validFrom : nil,
        until: row.validUntil
      )
    }
    state.schedules = try await Schedules(services).list(acting).filter { $0.app != ScheduleStore.own }.map {
      schedule in
      ScheduleState(name: schedule.name, isPaused: schedule.pausedAt != nil)
    }
    state.queueLimits = try await QueueAdministration(services).rules()
      .filter { $0.rule == .limit && $0.company == acting.company.slug && !$0.isForEach }
      .map { rule in
        QueueLimitState(
          queue: rule.queue,
          kind: rule.kind,
          running: rule.maxRunning,
          rate: rule.rateCount.map {
            JobRate(count: $0, seconds: Int(clamping: (rule.ratePeriod ?? 1).rounded()))
          }
        )
      }
    let company = acting.company.id
    state.quotas = try await CompanyAdministration(services).read(acting, permission: "company.read") {
      tx,
      _ in
      try tx.rows(QuotaStore.all(company: company), as: QuotaRow.self)
        .map { QuotaState(type: $0.recordType, maximum: $0.maximum) }
    }
    state.workflows = try await workflows()
    state.numbers = try await NumberSeries(services, provisioning.records).list(acting).filter(\.isOwn)
      .map { NumberFormatState(type: $0.type, format: $0.format) }
    state.settings = try await Companies(services).settings(acting).map { setting, value in
      SettingState(name: setting.name, value: value, isDefault: value == setting.choices.first)
    }
    state.apps = try await CompanyApps(services).choice(acting)
    state.overlays = try await CompanyAdministration(services).read(acting, permission: "workflow.read") {
      tx,
      _ in
      let choices = try WorkflowStore.choices(company: company, tx)
      // Overlays of versions before the followed one have no effect.
      return try choices.overlays.values.flatMap { $0 }
        .filter { $0.version >= choices.versions[$0.workflow]?.version ?? 1 }
        .map { OverlayState($0, text: try JSON(encoding: $0).value()) }
    }
    return state
  }

  /// Returns the followed versions of workflows that have several versions or for which the company has
  /// chosen one.
  private func workflows() async throws -> [WorkflowChoiceState] {
    let company = acting.company.id
    let known = Set(provisioning.records.catalogue.types.filter { $0.workflow != nil }.map(\.name))
    return try await CompanyAdministration(provisioning.services).read(acting, permission: "workflow.read") {
      tx,
      _ in
      let choices = try WorkflowStore.choices(company: company, tx)
      let installed = try tx.rows(
        """
        select w.record_type, min(w.version), count(*) from core.workflow_definition w
        group by w.record_type order by w.record_type
        """,
        String.self,
        Int.self,
        Int.self
      )
      return installed.compactMap { type, first, count in
        let choice = choices.versions[type]?.version
        guard known.contains(type), choice != nil || count > 1 else { return nil }
        return WorkflowChoiceState(type: type, version: choice ?? first)
      }
    }
  }

  /// Returns the names of the roles to which an invite or a member refers, removed members included.
  private func referredRoles() async throws -> Set<String> {
    let company = acting.company.id
    return try await CompanyAdministration(provisioning.services).read(acting, permission: "role.read") {
      tx,
      _ in
      Set(
        try tx.rows(
          """
          select m.role from core.membership m where m.company_id = \(company)
          union
          select i.role from core.invite i where i.company_id = \(company)
          """,
          String.self
        )
      )
    }
  }

  /// Returns the live records of types, by type. References are replaced by the keys of the other records.
  ///
  /// - Parameter names: the types; each must come after those that it refers to.
  /// - Throws: `invalid_input` for a type with more than 100,000 records.
  func records(_ names: [String]) async throws -> [String: [RecordState]] {
    guard !names.isEmpty else { return [:] }
    let types = try names.map {
      (stored: try provisioning.records.catalogue.type($0), entry: try provisioning.types.type($0))
    }
    let acting = acting
    var options = TransactionOptions.inside(acting.company.id, user: acting.user, readOnly: true)
    // All types are read from one snapshot, so that every reference has its target.
    options.isolation = .repeatableRead
    options.statementTimeout = .seconds(120)
    let requestID = provisioning.services.ids.next()
    return try await provisioning.services.database.transaction(options) { tx in
      let rights = try Rights.read(acting, requestID: requestID, tx)
      let members = try MemberStore.all(company: acting.company.id, includingRemoved: true, tx)
      var translation = KeyTranslation(
        members: Dictionary(
          members.map { ($0.userID.text, $0.email) },
          uniquingKeysWith: { first, _ in first }
        )
      )
      var result: [String: [RecordState]] = [:]
      for (stored, entry) in types {
        try rights.require("\(stored.name).read", for: .read)
        let rows = try tx.rows(
          """
          select t.id, to_jsonb(t) from \(stored.table) t
          where t.company_id = \(acting.company.id) and t.deleted_at is null
          order by t.created_at, t.id
          limit 100001
          """,
          UUID.self,
          JSON.self
        )
        guard rows.count <= 100_000 else {
          throw DomainError(.invalidInput, "\(stored.name) has more than 100000 records: too many for a file")
        }
        let documents = try rows.map { id, json in (id.text, try json.value().object ?? [:]) }
        result[stored.name] = translation.states(of: documents, entry)
      }
      return result
    }
  }
}

/// Replaces the ids in references by the natural keys of their targets.
struct KeyTranslation {
  /// The email addresses of members, by id.
  let members: [String: String]
  /// The keys of the records read so far, by type and id.
  private var keys: [String: [String: RecordKey]] = [:]

  init(members: [String: String]) { self.members = members }

  /// Returns the records of the next type. The types that it refers to must have been passed before.
  mutating func states(of rows: [(id: String, document: JSONObject)], _ type: ProvisionedTypes.Entry)
    -> [RecordState]
  {
    let name = type.definition.name
    let documents = Dictionary(rows.map { ($0.id, $0.document) }, uniquingKeysWith: { first, _ in first })
    keys[name] = [:]
    for (id, _) in rows { _ = key(of: id, in: documents, type, depth: 0) }
    return rows.compactMap { id, document in
      // A file cannot contain records without a key.
      guard let key = keys[name]?[id], key.parts.last?.isBlank == false else { return nil }
      var fields: JSONObject = [:]
      for column in type.columns { fields[column] = value(document[column] ?? .null, column, type) }
      return RecordState(
        key: key,
        fields: fields,
        status: type.workflow == nil ? nil : document["status"]?.string,
        id: id
      )
    }
  }

  /// Returns the key of a record. A key may contain a reference to a record of the same type, such as a room
  /// in a house.
  private mutating func key(
    of id: String,
    in documents: [String: JSONObject],
    _ type: ProvisionedTypes.Entry,
    depth: Int
  ) -> RecordKey? {
    let name = type.definition.name
    if let known = keys[name]?[id] { return known }
    guard let document = documents[id], depth < 100 else { return nil }
    let parts = type.definition.key.map { column -> JSONValue in
      let value = document[column] ?? .null
      if type.reference(column)?.target == name, let parent = value.string {
        return self.key(of: parent, in: documents, type, depth: depth + 1)?.reference ?? value
      }
      return self.value(value, column, type)
    }
    let made = RecordKey(parts)
    keys[name]?[id] = made
    return made
  }

  private func value(_ value: JSONValue, _ column: String, _ type: ProvisionedTypes.Entry) -> JSONValue {
    guard let target = type.reference(column)?.target, let id = value.string else { return value }
    // A file cannot refer to a deleted record or to one without a key.
    if target == "core.membership" { return members[id].map { .string($0) } ?? .null }
    return keys[target]?[id]?.reference ?? .null
  }
}
