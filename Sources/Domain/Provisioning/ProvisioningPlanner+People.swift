extension ProvisioningPlanner {
  /// The roles; returns the names of all that there will be.
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
      try permissionsExist(role, place)
      names.insert(role.name)
      let before = present.first { $0.name == role.name }
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
      // A role that history refers to stays, without permissions; one that was emptied so is gone already.
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

  private func permissionsExist(_ role: RoleState, _ place: String) throws {
    for permission in role.permissions {
      do throws(DomainError) {
        let known = try catalogue.permission(named: permission)
        guard catalogue[known]?.isGrantable == true else {
          throw DomainError(.notGrantable, "a role of a company cannot hold \(permission)")
        }
      } catch {
        throw error.standing(at: "\(place).permissions")
      }
    }
  }

  /// The members: first those who come, then those who change, administrators before the others, so that the
  /// company is never without one.
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
    try requireAdministrator(after.values, wanted.slug, "\(path).members")
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

  private func requireAdministrator(
    _ members: some Sequence<MemberState>,
    _ company: String,
    _ path: String
  ) throws {
    let hasOne = members.contains { member in
      member.status != .suspended && BuiltInRole(rawValue: member.role ?? "")?.isAdministrator == true
    }
    guard !hasOne else { return }
    throw DomainError(.lastAdministrator, "\(company) would have no active owner or admin").standing(at: path)
  }

  /// The invites that can still be redeemed, policy by policy.
  func invites(
    _ wanted: CompanyState,
    _ current: CompanyState?,
    _ roles: Set<String>,
    _ path: String,
    _ plan: inout CompanyPlan,
    _ removals: inout [ProvisioningStep]
  ) throws {
    guard let invites = wanted.invites else { return }
    var left = current?.invites ?? []
    for (index, invite) in invites.enumerated() {
      let place = "\(path).invites[\(index)]"
      guard roles.contains(invite.role) else {
        throw unknown(invite.role, roles, wanted.slug, "\(place).role")
      }
      if let found = left.firstIndex(where: { $0.policy == invite.policy }) {
        left.remove(at: found)
        plan.unchanged.append(("invite", invite.text))
      } else {
        plan.steps.append(
          ProvisioningStep(.created, "invite", invite.text, path: place, do: .createInvite(invite))
        )
      }
    }
    for invite in left {
      guard prunes else {
        plan.extra.append(("invite", invite.text))
        continue
      }
      removals.append(ProvisioningStep(.removed, "invite", invite.text, do: .revokeInvite(invite)))
    }
  }

  /// The webhooks, address by address.
  func webhooks(
    _ wanted: CompanyState,
    _ current: CompanyState?,
    _ path: String,
    _ plan: inout CompanyPlan,
    _ removals: inout [ProvisioningStep]
  ) {
    guard let webhooks = wanted.webhooks else { return }
    var left = current?.webhooks ?? []
    for (index, webhook) in webhooks.enumerated() {
      let place = "\(path).webhooks[\(index)]"
      guard let found = left.firstIndex(where: { $0.url == webhook.url }), let id = left[found].id else {
        let facts: [ProvisioningStep.Difference] = [.init("events", nil, .strings(webhook.events))]
        plan.steps.append(
          ProvisioningStep(.created, "webhook", webhook.url, facts, path: place, do: .addWebhook(webhook))
        )
        continue
      }
      let before = left.remove(at: found)
      var facts: [ProvisioningStep.Difference] = []
      if before.events != webhook.events {
        facts.append(.init("events", .strings(before.events), .strings(webhook.events)))
      }
      if before.isActive != webhook.isActive {
        facts.append(.init("active", .bool(before.isActive), .bool(webhook.isActive)))
      }
      guard !facts.isEmpty else {
        plan.unchanged.append(("webhook", webhook.url))
        continue
      }
      plan.steps.append(
        ProvisioningStep(
          .changed,
          "webhook",
          webhook.url,
          facts,
          path: place,
          do: .changeWebhook(webhook, id: id)
        )
      )
    }
    for webhook in left {
      guard prunes, let id = webhook.id else {
        plan.extra.append(("webhook", webhook.url))
        continue
      }
      removals.append(ProvisioningStep(.removed, "webhook", webhook.url, do: .removeWebhook(id: id)))
    }
  }

  private func unknown(_ role: String, _ roles: Set<String>, _ company: String, _ place: String)
    -> DomainError
  {
    let closest = Suggestion.closest(to: role, among: roles.sorted())
    return DomainError(
      .unknownRole,
      "\(company) has no role \(Quoted(role))",
      hint: closest.map { "did you mean \($0)?" } ?? "define it under roles: first"
    ).standing(at: place)
  }
}

extension CompanyPlan {
  /// Whether the company is made with this member as its owner, who then needs no adding.
  fileprivate func isOwner(_ member: MemberState) -> Bool {
    steps.contains { step in
      if case .createCompany(let owner) = step.action { owner.key == member.key } else { false }
    }
  }
}

extension ProvisioningStep {
  /// Whether the company has one more administrator after it.
  fileprivate var makesAdministrator: Bool {
    switch action {
    case .addMember(_, let role), .setRole(_, let role):
      BuiltInRole(rawValue: role)?.isAdministrator == true
    case .setMemberStatus(_, let status): status == .active
    default: false
    }
  }
}

extension InviteState {
  /// How messages call the policy.
  package var text: String {
    let people = uses == 1 ? "1 use" : "\(uses) uses"
    return "\(role), \(people), \(days) days" + (email.map { ", for \($0)" } ?? "")
  }
}
