extension ProvisioningPlanner {
  /// Plans the roles.
  ///
  /// - Returns: the names of all roles that exist after the plan, built-in ones included.
  /// - Throws: `unknown_permission` or `not_grantable`, with the position in the file.
  func roles(
    _ wanted: CompanyState,
    _ current: CompanyState?,
    _ path: String,
    _ plan: inout CompanyPlan,
    _ removals: inout [ProvisioningStep]
  ) throws -> Set<String> {
    let present = current?.roles ?? []
    var names = Set(BuiltInRole.allCases.map(\.rawValue)).union(present.map(\.name))
    for role in wanted.roles ?? [] {
      let place = "\(path).roles.\(role.name)"
      let before = present.first { $0.name == role.name }
      // A role may keep permissions of apps that are no longer installed.
      try permissionsExist(role.permissions.filter { before?.permissions.contains($0) != true }, place)
      names.insert(role.name)
      let permissions: [JSONValue] = [before?.permissions ?? [], role.permissions].map { .strings($0) }
      let facts = [
        before?.permissions == role.permissions
          ? nil
          : ProvisioningStep.Difference("permissions", before.map { _ in permissions[0] }, permissions[1]),
        difference("label", before?.label, role.label),
      ].compactMap { $0 }
      guard !facts.isEmpty else {
        plan.unchanged.append(("role", role.name))
        continue
      }
      plan.steps.append(
        ProvisioningStep(
          before == nil ? .created : .changed,
          "role",
          role.name,
          facts,
          path: place,
          do: .defineRole(role)
        )
      )
    }
    guard let kept = wanted.roles.map({ Set($0.map(\.name)) }) else { return names }
    for role in present where !kept.contains(role.name) {
      // A role to which the history refers stays, without permissions, and counts as removed.
      if role.isReferred, role.permissions.isEmpty { continue }
      guard prunes else {
        plan.extra.append(("role", role.name))
        continue
      }
      names.remove(role.name)
      removals.append(ProvisioningStep(.removed, "role", role.name, do: .removeRole(role)))
    }
    return names
  }

  private func permissionsExist(_ permissions: [String], _ place: String) throws {
    for permission in permissions {
      do throws(DomainError) {
        let known = try catalogue.permission(named: permission)
        guard catalogue[known]?.isGrantable == true else {
          throw DomainError(.notGrantable, "a custom role cannot contain \(permission)")
        }
      } catch {
        throw error.standing(at: "\(place).permissions")
      }
    }
  }

  /// Plans the members. Steps that may add an administrator come first, so that the company always has one.
  ///
  /// - Throws: `unknown_role`, `last_owner` or `last_administrator`, with the position in the file.
  func members(
    _ wanted: CompanyState,
    _ current: CompanyState?,
    _ roles: Set<String>,
    _ path: String,
    _ plan: inout CompanyPlan,
    _ removals: inout [ProvisioningStep]
  ) throws {
    let present = Dictionary(
      (current?.members ?? []).map { ($0.key, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    var after = present
    var steps: [ProvisioningStep] = []
    for member in wanted.members ?? [] {
      let place = "\(path).members.\(member.email)"
      if let role = member.role, !roles.contains(role) {
        throw unknown(role, roles, wanted.slug, "\(place).role")
      }
      let before = present[member.key]
      let role = member.role ?? before?.role ?? BuiltInRole.user.rawValue
      let status = member.status ?? before?.status ?? .active
      after[member.key] = MemberState(email: member.email, name: member.name, role: role, status: status)
      let mine = self.steps(for: member, before, role: role, status: status, place)
      let isFounder = current == nil && plan.isOwner(member)
      if mine.isEmpty { plan.unchanged.append(("member", member.email)) }
      steps += isFounder ? mine.filter { $0.change != .created } : mine
    }
    if let kept = wanted.members.map({ Set($0.map(\.key)) }) {
      for member in current?.members ?? [] where !kept.contains(member.key) {
        guard prunes else {
          plan.extra.append(("member", member.email))
          continue
        }
        after[member.key] = nil
        let facts = [difference("role", nil, member.role)].compactMap { $0 }
          .map { ProvisioningStep.Difference($0.field, $0.after, nil) }
        removals.append(
          ProvisioningStep(.removed, "member", member.email, facts, do: .setMemberStatus(member, .removed))
        )
      }
    }
    if !steps.isEmpty || current == nil || after.count < present.count {
      let before: [MemberState]? = current.map { $0.members ?? [] }
      try requireOwner(before, changedTo: after.values, wanted.slug, "\(path).members")
    }
    plan.steps += steps.filter(\.makesAdministrator) + steps.filter { !$0.makesAdministrator }
  }

  private func steps(
    for member: MemberState,
    _ before: MemberState?,
    role: String,
    status: MemberStatus,
    _ place: String
  ) -> [ProvisioningStep] {
    var steps: [ProvisioningStep] = []
    func step(
      _ change: ProvisioningStep.Change,
      _ facts: [ProvisioningStep.Difference?],
      _ action: ProvisioningStep.Action
    ) {
      steps.append(
        ProvisioningStep(change, "member", member.email, facts.compactMap { $0 }, path: place, do: action)
      )
    }
    if let before {
      if let name = member.name, name != before.name {
        step(.changed, [difference("name", before.name, name)], .renameMember(member, name: name))
      }
      if role != before.role {
        step(.changed, [difference("role", before.role, role)], .setRole(member, role: role))
      }
    } else {
      step(
        .created,
        [difference("name", nil, member.name), difference("role", nil, role)],
        .addMember(member, role: role)
      )
    }
    let was = before?.status ?? .active
    if status != was {
      let fact = difference("status", was.rawValue, status.rawValue)
      step(.changed, [fact], .setMemberStatus(member, status))
    }
    return steps
  }

  /// Requires R3: a company with an active owner keeps one; a company without an owner keeps an active admin.
  ///
  /// - Parameter before: the current members; nil for a new company, which requires an owner.
  private func requireOwner(
    _ before: [MemberState]?,
    changedTo after: some Sequence<MemberState>,
    _ company: String,
    _ path: String
  ) throws {
    func has(_ role: (BuiltInRole) -> Bool, _ members: some Sequence<MemberState>) -> Bool {
      members.contains { $0.status != .suspended && BuiltInRole(rawValue: $0.role ?? "").map(role) == true }
    }
    if before.map({ has({ $0 == .owner }, $0) }) ?? true {
      guard !has({ $0 == .owner }, after) else { return }
      throw DomainError(.lastOwner, "\(company) would have no active owner").standing(at: path)
    }
    guard !has(\.isAdministrator, after) else { return }
    throw DomainError(.lastAdministrator, "\(company) would have no active owner or admin").standing(at: path)
  }

  /// Returns the error for a role that the company does not have.
  func unknown(_ role: String, _ roles: Set<String>, _ company: String, _ place: String)
    -> DomainError
  {
    let closest = Suggestion.closest(to: role, among: roles.sorted())
    return DomainError(
      .unknownRole,
      "\(company) has no role \(Quoted(role))",
      hint: closest.map { "did you mean \($0)?" } ?? "define it under roles:"
    ).standing(at: place)
  }
}

extension CompanyPlan {
  /// True if the company is created with this member as its owner. The member is then not added by a step.
  fileprivate func isOwner(_ member: MemberState) -> Bool {
    steps.contains { step in
      if case .createCompany(let owner) = step.action { owner.key == member.key } else { false }
    }
  }
}

extension ProvisioningStep {
  /// True if the step may add an active administrator. Every reinstated member counts.
  fileprivate var makesAdministrator: Bool {
    switch action {
    case .addMember(_, let role), .setRole(_, let role):
      BuiltInRole(rawValue: role)?.isAdministrator == true
    case .setMemberStatus(_, let status): status == .active
    default: false
    }
  }
}
