package import FoundationEssentials

/// Actor of a change and their rights, as read in the transaction that writes.
package struct ActorRights: Sendable {
  /// Actor.
  package let actor: Actor
  /// Status of the company.
  package let company: CompanyStatus
  /// Permissions of the actor's role, restricted to a token's scopes.
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

  /// Whether the actor can read records of a type that have these owners.
  ///
  /// - Parameter type: `app.type`.
  package func canRead(_ type: String, ownedBy owners: [UUID]) -> Bool {
    actor.kind == .system || may(Permission(trusted: "\(type).read"), ownedBy: owners)
  }
}
