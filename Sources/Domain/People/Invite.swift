/// What is stored about an invite code, and what follows from it.
package struct Invite: Sendable, Hashable, Codable {
  /// The role that a redeemer gets.
  package let role: String
  /// How often it may be redeemed.
  package let maximumUses: Int
  /// How often it was.
  package let uses: Int
  /// When it stops working.
  package let expires: Instant
  /// When it was taken back; nil while it was not.
  package let revoked: Instant?
  /// The only address that may redeem it; nil for any.
  package let email: EmailAddress?

  /// How often a code may be redeemed unless told.
  package static let defaultUses = 1
  /// How long a code works unless told: 14 days.
  package static let defaultLifetime: Int64 = 14 * 86_400_000_000

  /// Puts an invite together from what was stored.
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

  /// A new invite, checked: 1 to 1,000 uses, at most a year, and a role of which the granter holds all (R1).
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

  /// What the code is worth now. Taken back comes before used up, and used up before too old, so that the list
  /// shows the reason a person would name.
  package func state(at now: Instant) -> State {
    if revoked != nil { return .revoked }
    if uses >= maximumUses { return .exhausted }
    return now >= expires ? .expired : .active
  }

  /// What a code is worth; derived, never stored.
  package enum State: String, Sendable, Codable, CaseIterable {
    case active, exhausted, expired, revoked
  }
}
