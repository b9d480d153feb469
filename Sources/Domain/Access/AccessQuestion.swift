/// The inputs of an access decision.
package struct AccessQuestion: Sendable {
  /// The permission that the action requires.
  package let permission: Permission
  /// The actor who wants to act.
  package let actor: Actor
  /// The status of the company.
  package let company: CompanyStatus
  /// The actor's membership; nil if there is none.
  package let member: Member?
  /// The permissions of the member's role, without the restriction by a token.
  package let role: PermissionSet
  /// The scopes of the token; nil if no token is used.
  package let scopes: PermissionSet?
  /// The record in question; nil for a general question.
  package let record: Subject?

  /// A record, whether the actor can see it, and the rules of its type.
  package struct Subject: Sendable {
    /// The stored record.
    package let snapshot: RecordSnapshot
    /// The rules of the record's type; nil to check only visibility and owners.
    package let rules: RecordRules?
    /// PostgreSQL's results for the conditions of the edit rules, in the order of the rules; nil is SQL's
    /// null.
    package let conditions: [Bool?]
    /// The app's messages for guards that refuse.
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

  /// The effective permissions: the role's, restricted to the token's scopes (R4).
  ///
  /// Empty without an active membership, unless the system acts.
  package var rights: PermissionSet {
    guard actor.kind == .system || member?.status == .active else { return .none }
    return scopes.map { AccessRules.effective(scopes: $0, ownerRights: role) } ?? role
  }

  /// The effective permissions with the actor and the company's status, as the kernel requires them.
  package var actorRights: ActorRights { ActorRights(actor: actor, company: company, permissions: rights) }
}
