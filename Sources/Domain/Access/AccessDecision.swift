/// Whether somebody may do something, and each step of the way to the answer.
package struct AccessDecision: Sendable, Hashable, Codable {
  /// The steps in order; the first that fails is the last.
  package let steps: [Step]

  /// One thing that was looked at.
  package struct Step: Sendable, Hashable, Codable {
    /// What was looked at, such as `role`.
    package let name: String
    /// Whether it lets the actor pass.
    package let passed: Bool
    /// What was found, in a sentence.
    package let finding: String
    /// The code of the refusal; nil when it passed.
    package let code: ErrorCode?
  }

  /// Whether every step passed.
  package var isAllowed: Bool { !steps.isEmpty && steps.allSatisfy(\.passed) }

  /// The refusal; nil when it is allowed.
  package var refusal: DomainError? {
    guard let step = steps.last, !step.passed else { return nil }
    return DomainError(step.code ?? .forbidden, step.finding)
  }
}

/// Everything that an access decision depends on.
package struct AccessQuestion: Sendable {
  /// What the actor wants to do.
  package let permission: Permission
  /// Who wants it.
  package let actor: Actor
  /// Where the company is in its life.
  package let company: CompanyStatus
  /// The actor's membership; nil when there is none.
  package let member: Member?
  /// What the member's role allows.
  package let role: PermissionSet
  /// What the token's scopes name; nil when no token is used.
  package let scopes: PermissionSet?
  /// Whether the record is the actor's own; nil when the question is not about a record.
  package let isOwn: Bool?
  /// Whether the actor can see the record at all.
  package let isVisible: Bool

  /// Puts a question together.
  package init(
    _ permission: Permission,
    actor: Actor,
    company: CompanyStatus,
    member: Member?,
    role: PermissionSet,
    scopes: PermissionSet? = nil,
    isOwn: Bool? = nil,
    isVisible: Bool = true
  ) {
    self.permission = permission
    self.actor = actor
    self.company = company
    self.member = member
    self.role = role
    self.scopes = scopes
    self.isOwn = isOwn
    self.isVisible = isVisible
  }

  /// What the actor may do in all (R4).
  package var rights: PermissionSet {
    guard actor.kind == .system || member?.status == .active else { return .none }
    return scopes.map { AccessRules.effective(scopes: $0, ownerRights: role) } ?? role
  }
}
