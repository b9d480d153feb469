/// The rules R1 to R5 of who may give what to whom, as functions of values.
///
/// The caller reads the values in the transaction that writes (R8), under the lock of the company's row.
package enum AccessRules {
  /// R1: nobody grants more than they hold, at role edit, at invite and again at redemption.
  package static func canGrant(_ permissions: PermissionSet, by actor: PermissionSet) -> Bool {
    permissions.isSubset(of: actor)
  }

  /// R1 as a refusal that names what is missing.
  package static func requireGrant(_ permissions: PermissionSet, by actor: PermissionSet) throws(DomainError)
  {
    let excess = permissions.subtracting(actor).map(\.name)
    guard excess.isEmpty else {
      throw DomainError(
        .grantExceedsOwn,
        "You do not hold \(excess.prefix(3).joined(separator: ", "))\(excess.count > 3 ? " and others" : "")",
        details: ["permissions": .strings(excess)]
      )
    }
  }

  /// R2: nobody changes a member who holds more than they do.
  package static func canModify(memberHolding member: PermissionSet, by actor: PermissionSet) -> Bool {
    member.isSubset(of: actor)
  }

  /// R2 as a refusal.
  package static func requireModify(
    memberHolding member: PermissionSet,
    by actor: PermissionSet
  ) throws(DomainError) {
    guard canModify(memberHolding: member, by: actor) else { throw DomainError(.memberOutranks) }
  }

  /// R3: whether a company that had these members, and would have those, would lose its last active owner or
  /// admin.
  ///
  /// A company that has none to begin with is not made worse, so that it can be repaired step by step.
  package static func wouldLeaveNoAdministrator(_ before: [Member], changedTo after: [Member]) -> Bool {
    before.contains(where: \.isActiveAdministrator) && !after.contains(where: \.isActiveAdministrator)
  }

  /// R3 as a refusal.
  package static func requireAdministrator(_ before: [Member], changedTo after: [Member]) throws(DomainError)
  {
    if wouldLeaveNoAdministrator(before, changedTo: after) { throw DomainError(.lastAdministrator) }
  }

  /// R4: a token may do what its scopes name and its owner may do now, whichever is less.
  package static func effective(scopes: PermissionSet, ownerRights: PermissionSet) -> PermissionSet {
    scopes.intersection(ownerRights)
  }
}
