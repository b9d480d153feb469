/// The rules R1 to R4 of the access model, as functions of values. ``Role/composing(_:of:by:from:)`` enforces
/// R5.
///
/// R8: the caller reads the values in the transaction that writes, under the lock of the company's row, so
/// that a right cannot be revoked between check and write.
package enum AccessRules {
  /// Requires an active membership.
  ///
  /// - Throws: `forbidden` if the membership is missing, suspended or removed.
  package static func requireActive(_ member: Member?) throws(DomainError) {
    guard let member else { throw DomainError(.forbidden, "the actor is not a member of the company") }
    guard member.status != .active else { return }
    throw DomainError(
      .forbidden,
      "the membership is \(member.status.rawValue)",
      hint: member.status == .suspended
        ? "ask an administrator to run `fettle member reinstate`"
        : "ask an administrator to run `fettle member add` or to send a new invite"
    )
  }

  /// True if the actor holds all the permissions (R1: nobody grants more than they hold).
  ///
  /// R1 applies to edits of roles, to invites, and again when an invite is redeemed.
  package static func canGrant(_ permissions: PermissionSet, by actor: PermissionSet) -> Bool {
    permissions.isSubset(of: actor)
  }

  /// Requires R1.
  ///
  /// - Throws: `grant_exceeds_own` with the missing permissions.
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

  /// Requires R2: nobody changes a member who holds a permission that they lack.
  ///
  /// - Parameter name: the member's name, for the message.
  /// - Throws: `member_outranks`.
  package static func requireModify(
    _ name: String,
    holding member: PermissionSet,
    by actor: PermissionSet
  ) throws(DomainError) {
    guard member.isSubset(of: actor) else {
      throw DomainError(.memberOutranks, "\(name) holds permissions that you do not hold")
    }
  }

  /// Requires R3: a company with an active owner keeps one; a company without an owner keeps an active admin.
  ///
  /// If the company has neither, every change is allowed, so that the company can be repaired step by step.
  ///
  /// - Parameters:
  ///   - before: the owners and admins before the change.
  ///   - after: the same members after the change, and new ones.
  /// - Throws: `last_owner` or `last_administrator`.
  package static func requireOwner(_ before: [Member], changedTo after: [Member]) throws(DomainError) {
    if before.contains(where: \.isActiveOwner) {
      if !after.contains(where: \.isActiveOwner) { throw DomainError(.lastOwner) }
    } else if before.contains(where: \.isActiveAdministrator), !after.contains(where: \.isActiveAdministrator)
    {
      throw DomainError(.lastAdministrator)
    }
  }

  /// Returns the rights of a token (R4): the intersection of its scopes and its owner's current rights.
  package static func effective(scopes: PermissionSet, ownerRights: PermissionSet) -> PermissionSet {
    scopes.intersection(ownerRights)
  }
}
