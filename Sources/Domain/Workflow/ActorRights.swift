package import FoundationEssentials

/// Who wants to change a record, and what they may do, as read in the transaction that writes.
package struct ActorRights: Sendable {
  /// Who acts.
  package let actor: Actor
  /// Where the company is in its life.
  package let company: CompanyStatus
  /// What the actor may do: the role's permissions, cut to a token's scopes.
  package let permissions: PermissionSet

  /// Puts rights together.
  package init(actor: Actor, company: CompanyStatus, permissions: PermissionSet) {
    self.actor = actor
    self.company = company
    self.permissions = permissions
  }

  /// Timers, jobs and schedules: they fire system transitions and hold no permission at all.
  package static func system(_ part: String, company: CompanyStatus = .active) -> ActorRights {
    ActorRights(actor: .system(part), company: company, permissions: .none)
  }

  /// Whether a permission is held over a record that has these owners.
  package func may(_ permission: Permission, ownedBy owners: [UUID]) -> Bool {
    switch permissions.reach(of: permission) {
    case .all: true
    case .own: actor.person.map(owners.contains) ?? false
    case .none: false
    }
  }
}
