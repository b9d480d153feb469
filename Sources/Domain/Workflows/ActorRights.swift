package import FoundationEssentials

/// The actor of a change and the actor's rights, read in the transaction that makes the change (R8).
package struct ActorRights: Sendable {
  /// The actor.
  package let actor: Actor
  /// The status of the company.
  package let company: CompanyStatus
  /// The permissions of the actor's role, restricted to the scopes of the token if there is one.
  package let permissions: PermissionSet
  /// The permissions of the role, whatever the scopes of a token are; nil if they are the same.
  package let role: PermissionSet?

  /// Creates the rights of an actor.
  package init(actor: Actor, company: CompanyStatus, permissions: PermissionSet, role: PermissionSet? = nil) {
    self.actor = actor
    self.company = company
    self.permissions = permissions
    self.role = role
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

  /// The error for a permission that the actor does not hold for a record, with the reason: the scopes of a token, or a
  /// permission for own records only.
  ///
  /// - Parameter action: what needs the permission, such as `to edit status`; empty for nothing to add.
  package func lack(of permission: Permission, _ action: String = "", fields: [String] = []) -> DomainError {
    let name = permission.name
    var details: JSONObject = ["permission": .string(name)]
    if !fields.isEmpty { details["fields"] = .strings(fields) }
    let reach = permissions.reach(of: permission)
    if let role, reach == .none, role.reach(of: permission) != .none {
      return DomainError(
        .forbidden,
        "the token lacks the scope \(name)",
        hint: "create a token with this scope",
        details: details
      )
    }
    let what = "missing permission\(action.isEmpty ? "" : " \(action)"): \(name)"
    guard reach == .own else { return DomainError(.forbidden, what, details: details) }
    return DomainError(
      .forbidden,
      "\(what); \(permission.own.name) is for one's own records",
      hint: "ask the person whose record it is, or an administrator",
      details: details
    )
  }

  /// True if the actor can read a record of a type with these owners. The system can read every record.
  ///
  /// - Parameter type: the name of the type, `app.type`.
  package func canRead(_ type: String, ownedBy owners: [UUID]) -> Bool {
    actor.kind == .system || may(Permission(trusted: "\(type).read"), ownedBy: owners)
  }
}
