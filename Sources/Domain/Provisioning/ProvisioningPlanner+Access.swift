extension ProvisioningPlanner {
  /// Plans the invites that can still be redeemed, compared by their terms.
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

  /// Plans the webhooks.
  ///
  /// Several webhooks of a company may have the same URL. Equal ones are paired first, then those with the
  /// same URL.
  func webhooks(
    _ wanted: CompanyState,
    _ current: CompanyState?,
    _ path: String,
    _ plan: inout CompanyPlan,
    _ removals: inout [ProvisioningStep]
  ) {
    guard let webhooks = wanted.webhooks else { return }
    var left = current?.webhooks ?? []
    var pairs: [WebhookState?] = webhooks.map { webhook in
      left.firstIndex { $0.isSame(as: webhook) }.map { left.remove(at: $0) }
    }
    for (index, webhook) in webhooks.enumerated() where pairs[index] == nil {
      pairs[index] = left.firstIndex { $0.url == webhook.url }.map { left.remove(at: $0) }
    }
    for (index, webhook) in webhooks.enumerated() {
      let place = "\(path).webhooks[\(index)]"
      guard let before = pairs[index], let id = before.id else {
        let facts: [ProvisioningStep.Difference] = [.init("events", nil, .strings(webhook.events))]
        plan.steps.append(
          ProvisioningStep(.created, "webhook", webhook.url, facts, path: place, do: .addWebhook(webhook))
        )
        continue
      }
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
}

extension InviteState {
  /// The terms of the invite as a text for messages, such as `user, 5 uses, 30 days`.
  package var text: String {
    let people = uses == 1 ? "1 use" : "\(uses) uses"
    return "\(role), \(people), \(days) days" + (email.map { ", for \($0)" } ?? "")
  }
}
