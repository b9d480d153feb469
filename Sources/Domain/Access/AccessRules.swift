/// The rules R1 to R5 of the access model, as functions of values.
///
/// The caller reads the values in the transaction that writes (R8), under the lock of the company's row.
package enum AccessRules {
  /// Refuses an actor whose membership is missing or not active.
  package static func requireActive(_ member: Member?) throws(DomainError) {
    guard let member else { throw DomainError(.forbidden, "the actor is no member of the company") }
    guard member.status != .active else { return }
    throw DomainError(
      .forbidden,
      "the membership is \(member.status.rawValue)",
      hint: member.status == .suspended
        ? "an administrator can lift it with `fettle member reinstate`"
        : "`fettle member add` or a new invite makes a removed person a member again"
    )
  }

  /// R1: nobody grants more than they hold. Applies to role edits, to invites and again to their redemption.
  package static func canGrant(_ permissions: PermissionSet, by actor: PermissionSet) -> Bool {
    permissions.isSubset(of: actor)
  }

  /// Enforces R1 with an error that names the missing permissions.
  package static func requireGrant(_ permissions: PermissionSet, by actor: PermissionSet) throws(DomainError)
  {
    let excess = permissions.subtracting(actor).map(\.name)
    guard excess.isEmpty else {
      throw DomainError(
        .grantExceedsOwn,
        "you do not hold \(excess.prefix(3).joined(separator: ", "))\(excess.count > 3 ? " and others" : "")",
        details: ["permissions": .strings(excess)]
      )
    }
  }

  /// R2: nobody changes a member who holds more than they do.
  ///
  /// - Parameter name: the member, for the message.
  package static func requireModify(
    _ name: String,
    holding member: PermissionSet,
    by actor: PermissionSet
  ) throws(DomainError) {
    guard member.isSubset(of: actor) else {
      throw DomainError(.memberOutranks, "\(name) holds permissions that you do not hold")
    }
  }

  /// R3: a company keeps an active owner; one without an owner keeps an active admin.
  ///
  /// A company that has neither is not made worse, so that it can be repaired step by step.
  ///
  /// - Parameters:
  ///   - before: the owners and admins before the change.
  ///   - after: the same people after it.
  package static func requireOwner(_ before: [Member], changedTo after: [Member]) throws(DomainError) {
    if before.contains(where: \.isActiveOwner) {
      if !after.contains(where: \.isActiveOwner) { throw DomainError(.lastOwner) }
    } else if before.contains(where: \.isActiveAdministrator), !after.contains(where: \.isActiveAdministrator)
    {
      throw DomainError(.lastAdministrator)
    }
  }

  /// R4: a token holds the intersection of its scopes and its owner's current rights.
  package static func effective(scopes: PermissionSet, ownerRights: PermissionSet) -> PermissionSet {
    scopes.intersection(ownerRights)
  }
}
