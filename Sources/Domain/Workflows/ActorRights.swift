package import FoundationEssentials

/// The actor of a change and the actor's rights, read in the transaction that makes the change (R8).
package struct ActorRights: Sendable {
  /// The actor.
  package let actor: Actor
  /// The status of the company.
  package let company: CompanyStatus
  /// The permissions of the actor's role, restricted to the scopes of the token if there is one.
  package let permissions: PermissionSet

  /// Creates the rights of an actor.
  package init(actor: Actor, company: CompanyStatus, permissions: PermissionSet) {
    self.actor = actor
    self.company = company
    self.permissions = permissions
  }

  /// Returns the rights of timers, jobs and schedules. They hold no permission, and may fire system
  /// transitions.
  ///
  /// - Parameter part: the part of the engine, such as `timers`.
  package static func system(_ part: String, company: CompanyStatus = .active) -> ActorRights {
    ActorRights(actor: .system(part), company: company, permissions: .none)
  }

  /// True if the actor holds a permission for a record with these owners.
  package func may(_ permission: Permission, ownedBy owners: [UUID]) -> Bool {
    switch permissions.reach(of: permission) {
    case .all: true
    case .own: actor.person.map(owners.contains) ?? false
    case .none: false
    }
  }

  /// True if the actor can read a record of a type with these owners. The system can read every record.
  ///
  /// - Parameter type: the name of the type, `app.type`.
  package func canRead(_ type: String, ownedBy owners: [UUID]) -> Bool {
    actor.kind == .system || may(Permission(trusted: "\(type).read"), ownedBy: owners)
  }
}
