package import FoundationEssentials

/// The actor of a change and their rights, as read in the transaction that writes.
package struct ActorRights: Sendable {
  /// The actor.
  package let actor: Actor
  /// The status of the company.
  package let company: CompanyStatus
  /// The permissions of the actor's role, restricted to a token's scopes.
  package let permissions: PermissionSet

  /// Creates rights.
  package init(actor: Actor, company: CompanyStatus, permissions: PermissionSet) {
    self.actor = actor
    self.company = company
    self.permissions = permissions
  }

  /// The rights of timers, jobs and schedules: they fire system transitions and hold no permission.
  package static func system(_ part: String, company: CompanyStatus = .active) -> ActorRights {
    ActorRights(actor: .system(part), company: company, permissions: .none)
  }

  /// True if a permission is held for a record that has these owners.
  package func may(_ permission: Permission, ownedBy owners: [UUID]) -> Bool {
    switch permissions.reach(of: permission) {
    case .all: true
    case .own: actor.person.map(owners.contains) ?? false
    case .none: false
    }
  }

  /// True if the actor can read records of a type that have these owners.
  ///
  /// - Parameter type: `app.type`.
  package func canRead(_ type: String, ownedBy owners: [UUID]) -> Bool {
    actor.kind == .system || may(Permission(trusted: "\(type).read"), ownedBy: owners)
  }
}
