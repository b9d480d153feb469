/// A stored invite. Its status follows from these values and the time.
package struct Invite: Sendable, Hashable, Codable {
  /// The role that a person who redeems the invite gets.
  package let role: String
  /// The maximum number of redemptions.
  package let maximumUses: Int
  /// The number of redemptions so far.
  package let uses: Int
  /// The time from which the invite is expired.
  package let expires: Instant
  /// The time at which the invite was revoked; nil if it was not.
  package let revoked: Instant?
  /// The only e-mail address that may redeem the invite; nil for any.
  package let email: EmailAddress?

  /// The default number of redemptions.
  package static let defaultUses = 1
  /// The default validity in microseconds: 14 days.
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

  /// Creates an invite with checked values.
  ///
  /// - Parameters:
  ///   - role: the role of new members; the granter must hold its permissions (R1).
  ///   - granter: the permissions of the member who invites.
  ///   - now: the time of creation.
  ///   - uses: the number of redemptions, 1 to 1,000.
  ///   - lifetime: the validity in microseconds, more than 0 and at most 366 days.
  ///   - email: the only address that may redeem the invite; nil for any.
  /// - Throws: `grant_exceeds_own`, or `invalid_input` for a value out of range.
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
      throw DomainError(.invalidInput, "an invite has 1 to 1000 uses, not \(uses)")
    }
    guard lifetime > 0, lifetime <= 366 * 86_400_000_000, let expires = now.advanced(byMicroseconds: lifetime)
    else {
      throw DomainError(.invalidInput, "an invite is valid for more than 0 and at most 366 days")
    }
    return Invite(role: role.name, maximumUses: uses, expires: expires, email: email)
  }

  /// Returns the status at a time.
  ///
  /// If several statuses apply, revoked comes before exhausted, and exhausted before expired.
  package func state(at now: Instant) -> State {
    if revoked != nil { return .revoked }
    if uses >= maximumUses { return .exhausted }
    return now >= expires ? .expired : .active
  }

  /// The status of an invite; computed, never stored.
  package enum State: String, Sendable, Codable, CaseIterable {
    case active, exhausted, expired, revoked
  }
}
