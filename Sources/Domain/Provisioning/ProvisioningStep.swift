/// One thing to do so that a company becomes what a file says.
package struct ProvisioningStep: Sendable {
  /// What becomes of the subject.
  package enum Change: String, Sendable, CaseIterable {
    case created, changed, removed
  }

  /// A value that differs.
  package struct Difference: Sendable, Hashable {
    package let field: String
    /// What the database says; nil where there is nothing yet.
    package let before: JSONValue?
    /// What the file says; nil for what is going.
    package let after: JSONValue?

    package init(_ field: String, _ before: JSONValue?, _ after: JSONValue?) {
      self.field = field
      self.before = before
      self.after = after
    }
  }

  /// What is done.
  package enum Action: Sendable {
    case createCompany(owner: MemberState)
    case describeCompany(name: String?, timeZone: String?)
    case setCompanyStatus(CompanyStatus)
    case defineRole(RoleState)
    case removeRole(RoleState)
    case addMember(MemberState, role: String)
    case setRole(MemberState, role: String)
    case setMemberStatus(MemberState, MemberStatus)
    case createInvite(InviteState)
    case revokeInvite(InviteState)
    case addWebhook(WebhookState)
    case changeWebhook(WebhookState, id: String)
    case removeWebhook(id: String)
    case grantEntitlement(EntitlementState)
    case revokeEntitlement(EntitlementState)
    case pauseSchedule(String)
    case resumeSchedule(String)
    case setOverlay(OverlayState)
    case removeOverlay(OverlayState)
    case createRecord(type: String, RecordState)
    case updateRecord(type: String, id: String, fields: JSONObject)
    /// Takes a record through transitions, one after the other.
    case moveRecord(type: String, RecordKey, transitions: [String])
    case deleteRecord(type: String, id: String)
  }

  package let change: Change
  /// What kind of thing it is, such as `member` or `maintenance.machine`.
  package let subject: String
  /// Which one, as people call it.
  package let name: String
  package let differences: [Difference]
  package let action: Action
  /// Where in the file it is asked for; empty for what the file does not have.
  package let path: String

  package init(
    _ change: Change,
    _ subject: String,
    _ name: String,
    _ differences: [Difference] = [],
    path: String = "",
    do action: Action
  ) {
    self.change = change
    self.subject = subject
    self.name = name
    self.differences = differences
    self.action = action
    self.path = path
  }
}

/// What it takes to make one company what a file says.
package struct CompanyPlan: Sendable {
  /// The company's short name.
  package let company: String
  /// What the file says, for what the steps do not.
  package let wanted: CompanyState
  /// In an order in which each can be done.
  package internal(set) var steps: [ProvisioningStep] = []
  /// What is as the file says: kind of thing and name.
  package internal(set) var unchanged: [(subject: String, name: String)] = []
  /// What the file does not have and `--prune` would remove.
  package internal(set) var extra: [(subject: String, name: String)] = []

  init(_ wanted: CompanyState) {
    company = wanted.slug
    self.wanted = wanted
  }
}
