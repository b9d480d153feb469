/// A stored invite and its derived status.
package struct Invite: Sendable, Hashable, Codable {
  /// The role of a new member.
  package let role: String
  /// The maximum number of redemptions.
  package let maximumUses: Int
  /// The number of redemptions so far.
  package let uses: Int
  /// The end of its validity.
  package let expires: Instant
  /// The time of its revocation; nil if it was not revoked.
  package let revoked: Instant?
  /// The only address that may redeem it; nil for any.
  package let email: EmailAddress?

  /// Default number of redemptions.
  package static let defaultUses = 1
  /// Default validity: 14 days.
  package static let defaultLifetime: Int64 = 14 * 86_400_000_000

  /// Creates an invite from stored values.
  package init(
    role: String,
    maximumUses: Int = Invite.defaultUses,
    uses: Int = 0,
    expires: Instant,
    revoked: Instant? = nil,
    email: EmailAddress? = nil
  ) {
    self.role = role
    self.maximumUses = maximumUses
    self.uses = uses
    self.expires = expires
    self.revoked = revoked
    self.email = email
  }

  /// Creates a validated invite: 1 to 1,000 uses, at most a year, and a role whose permissions the granter
  /// holds (R1).
  package static func issue(
    role: Role,
    by granter: PermissionSet,
    at now: Instant,
    uses: Int = defaultUses,
    lifetime: Int64 = defaultLifetime,
    email: EmailAddress? = nil
  ) throws(DomainError) -> Invite {
    try AccessRules.requireGrant(role.permissions, by: granter)
    guard (1...1000).contains(uses) else {
      throw DomainError(.invalidInput, "An invite code has 1 to 1000 uses, not \(uses)")
    }
    guard lifetime > 0, lifetime <= 366 * 86_400_000_000, let expires = now.advanced(byMicroseconds: lifetime)
    else {
      throw DomainError(.invalidInput, "An invite code lives between a moment and a year")
    }
    return Invite(role: role.name, maximumUses: uses, expires: expires, email: email)
  }

  /// The current status. Revoked comes before exhausted, and exhausted before expired, so that lists show the
  /// most specific reason.
  package func state(at now: Instant) -> State {
    if revoked != nil { return .revoked }
    if uses >= maximumUses { return .exhausted }
    return now >= expires ? .expired : .active
  }

  /// The status of an invite; derived, never stored.
  package enum State: String, Sendable, Codable, CaseIterable {
    case active, exhausted, expired, revoked
  }
}
