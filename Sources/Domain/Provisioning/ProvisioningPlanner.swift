/// Compares a provisioning file with the database and computes the steps that make them equal.
///
/// The planner is pure: the same two states always give the same plan.
package struct ProvisioningPlanner: Sendable {
  /// The installed record types.
  package let types: ProvisionedTypes
  /// The permissions that roles may refer to.
  package let catalogue: PermissionCatalogue
  /// The names of the schedules of the installed apps.
  package let schedules: [String]
  /// True to plan the removal of objects that a section of the file lacks.
  package let prunes: Bool

  package init(
    types: ProvisionedTypes,
    catalogue: PermissionCatalogue,
    schedules: [String],
    prunes: Bool
  ) {
    self.types = types
    self.catalogue = catalogue
    self.schedules = schedules
    self.prunes = prunes
  }

  /// Returns the steps for one company.
  ///
  /// - Parameters:
  ///   - wanted: the company in the file.
  ///   - current: the company in the database, with all sections; nil for a new one.
  ///   - records: the records in the database, by type: those of the types in the file, and of the types
  ///     that they refer to.
  /// - Throws: a ``DomainError`` with the position in the file.
  package func plan(
    _ wanted: CompanyState,
    from current: CompanyState?,
    records: [String: [RecordState]] = [:]
  ) throws -> CompanyPlan {
    var plan = CompanyPlan(wanted)
    var removals: [ProvisioningStep] = []
    let path = "companies.\(wanted.slug)"
    try company(wanted, current, path, &plan)
    apps(wanted, current, path, &plan, &removals)
    let roles = try roles(wanted, current, path, &plan, &removals)
    try members(wanted, current, roles, path, &plan, &removals)
    try invites(wanted, current, roles, path, &plan, &removals)
    webhooks(wanted, current, path, &plan, &removals)
    // Records may require an entitlement, so entitlements come first.
    try entitlements(wanted, current, path, &plan, &removals)
    let lowered = try quotas(wanted, current, path, &plan, &removals)
    // The status of a record depends on the workflow version, so versions come before records.
    try workflows(wanted, current, path, &plan)
    try numbers(wanted, current, path, &plan)
    settings(wanted, current, path, &plan)
    try self.records(wanted, records, &plan, &removals)
    plan.steps += lowered
    queueLimits(wanted, current, path, &plan, &removals)
    try schedules(wanted, current, path, &plan)
    overlays(wanted, current, path, &plan, &removals)
    // Removals come last and in reverse order: categories before their machine, members before their role.
    plan.steps += removals.reversed()
    if let status = wanted.status, status != .active, status != current?.status ?? .active {
      plan.steps.append(statusStep(status, current?.status ?? .active, wanted, path))
    }
    return plan
  }

  private func company(
    _ wanted: CompanyState,
    _ current: CompanyState?,
    _ path: String,
    _ plan: inout CompanyPlan
  ) throws {
    guard let current else {
      let owner = wanted.members?.first { $0.role == BuiltInRole.owner.rawValue && $0.status != .suspended }
      guard let owner else {
        throw DomainError(
          .invalidInput,
          "\(wanted.slug) is new, and a new company needs an owner",
          hint: "add one under members:, such as eva@example.com: { role: owner }"
        ).standing(at: "\(path).members")
      }
      let facts: [ProvisioningStep.Difference] = [
        .init("name", nil, .string(wanted.name ?? wanted.slug)),
        .init("kind", nil, .string((wanted.kind ?? .business).rawValue)),
        .init("timezone", nil, .string(wanted.timeZone ?? "UTC")), .init("owner", nil, .string(owner.email)),
      ]
      plan.steps.append(
        ProvisioningStep(
          .created,
          "company",
          wanted.slug,
          facts,
          path: path,
          do: .createCompany(owner: owner)
        )
      )
      return
    }
    if let kind = wanted.kind, kind != current.kind {
      throw DomainError(
        .invalidInput,
        "\(wanted.slug) is a \(current.kind?.rawValue ?? "company") and cannot become a \(kind.rawValue)",
        hint: "remove kind: it cannot be changed"
      ).standing(at: "\(path).kind")
    }
    if wanted.status == .active, let status = current.status, status != .active {
      plan.steps.append(statusStep(.active, status, wanted, path))
    }
    let facts = [
      difference("name", current.name, wanted.name),
      difference("timezone", current.timeZone, wanted.timeZone),
    ].compactMap { $0 }
    guard !facts.isEmpty else { return plan.unchanged.append(("company", wanted.slug)) }
    let action = ProvisioningStep.Action.describeCompany(
      name: wanted.name == current.name ? nil : wanted.name,
      timeZone: wanted.timeZone == current.timeZone ? nil : wanted.timeZone
    )
    plan.steps.append(ProvisioningStep(.changed, "company", wanted.slug, facts, path: path, do: action))
  }

  private func statusStep(
    _ status: CompanyStatus,
    _ before: CompanyStatus,
    _ wanted: CompanyState,
    _ path: String
  ) -> ProvisioningStep {
    ProvisioningStep(
      .changed,
      "company",
      wanted.slug,
      [.init("status", .string(before.rawValue), .string(status.rawValue))],
      path: "\(path).status",
      do: .setCompanyStatus(status)
    )
  }

  /// Returns the difference of two texts; nil if they are equal, or if the file gives none.
  func difference(_ field: String, _ before: String?, _ after: String?) -> ProvisioningStep.Difference? {
    guard let after, after != before else { return nil }
    return .init(field, before.map { .string($0) }, .string(after))
  }
}
