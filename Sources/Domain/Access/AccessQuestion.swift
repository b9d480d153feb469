/// The inputs of an access decision.
package struct AccessQuestion: Sendable {
  /// The required permission.
  package let permission: Permission
  /// The actor.
  package let actor: Actor
  /// The status of the company.
  package let company: CompanyStatus
  /// The actor's membership; nil if there is none.
  package let member: Member?
  /// The permissions of the member's role.
  package let role: PermissionSet
  /// The scopes of the token; nil if no token is used.
  package let scopes: PermissionSet?
  /// The record in question; nil for a general question.
  package let record: Subject?

  /// A record as the actor sees it, with the rules of its type.
  package struct Subject: Sendable {
    /// The stored record.
    package let snapshot: RecordSnapshot
    /// The rules of its type and its workflow; nil if only owners and visibility matter.
    package let rules: RecordRules?
    /// The results of the edit rules' conditions, in order; nil is SQL's null.
    package let conditions: [Bool?]
    /// The app's messages for refused guards.
    package let messages: [GuardMessage]

    /// Creates a subject.
    package init(
      _ snapshot: RecordSnapshot,
      rules: RecordRules? = nil,
      conditions: [Bool?] = [],
      messages: [GuardMessage] = []
    ) {
      self.snapshot = snapshot
      self.rules = rules
      self.conditions = conditions
      self.messages = messages
    }
  }

  /// Creates a question.
  package init(
    _ permission: Permission,
    actor: Actor,
    company: CompanyStatus,
    member: Member?,
    role: PermissionSet,
    scopes: PermissionSet? = nil,
    record: Subject? = nil
  ) {
    self.permission = permission
    self.actor = actor
    self.company = company
    self.member = member
    self.role = role
    self.scopes = scopes
    self.record = record
  }

  /// The effective permissions: the role's, restricted to the token's scopes (R4); none without an active
  /// membership.
  package var rights: PermissionSet {
    guard actor.kind == .system || member?.status == .active else { return .none }
    return scopes.map { AccessRules.effective(scopes: $0, ownerRights: role) } ?? role
  }

  /// The same rights in the form that the kernel requires.
  package var actorRights: ActorRights { ActorRights(actor: actor, company: company, permissions: rights) }
}
