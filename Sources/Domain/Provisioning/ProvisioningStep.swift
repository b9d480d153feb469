/// One change that brings the database closer to the file.
package struct ProvisioningStep: Sendable {
  /// The kind of change.
  package enum Change: String, Sendable, CaseIterable {
    case created, changed, removed
  }

  /// A field whose value differs between the file and the database.
  package struct Difference: Sendable, Hashable {
    package let field: String
    /// The value in the database; nil for an object that is created.
    package let before: JSONValue?
    /// The value in the file; nil for an object that is removed.
    package let after: JSONValue?

    package init(_ field: String, _ before: JSONValue?, _ after: JSONValue?) {
      self.field = field
      self.before = before
      self.after = after
    }
  }

  /// The use case that makes the change.
  package enum Action: Sendable {
    case createCompany(owner: MemberState)
    case describeCompany(name: String?, timeZone: String?)
    case setCompanyStatus(CompanyStatus)
    case enableApp(String)
    case disableApp(String)
    case defineRole(RoleState)
    case removeRole(RoleState)
    case addMember(MemberState, role: String)
    case setRole(MemberState, role: String)
    case renameMember(MemberState, name: String)
    case setMemberStatus(MemberState, MemberStatus)
    case createInvite(InviteState)
    case revokeInvite(InviteState)
    case addWebhook(WebhookState)
    case changeWebhook(WebhookState, id: String)
    case removeWebhook(id: String)
    case grantEntitlement(EntitlementState)
    case revokeEntitlement(EntitlementState)
    /// Sets a quota; nil removes it.
    case setQuota(type: String, maximum: Int64?)
    case limitQueue(QueueLimitState)
    case unlimitQueue(QueueLimitState)
    case followWorkflow(WorkflowChoiceState)
    case setNumberFormat(NumberFormatState)
    case chooseSetting(SettingState)
    case pauseSchedule(String)
    case resumeSchedule(String)
    case setOverlay(OverlayState)
    case removeOverlay(OverlayState)
    case createRecord(type: String, RecordState)
    case updateRecord(type: String, id: String, fields: JSONObject)
    /// Takes transitions of a record in order. Without an id, the record is the one created last.
    case moveRecord(type: String, id: String?, RecordKey, transitions: [String])
    case deleteRecord(type: String, id: String)
    /// A difference that a file cannot remove, and the reason.
    case refused(DomainError)
  }

  package let change: Change
  /// The kind of object, such as `member` or `maintenance.machine`.
  package let subject: String
  /// The name of the object.
  package let name: String
  package let differences: [Difference]
  package let action: Action
  /// The position in the file; empty for an object that the file lacks.
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

/// The steps for one company, and the objects that need none.
package struct CompanyPlan: Sendable {
  /// The company's slug.
  package let company: String
  /// The company in the file.
  package let wanted: CompanyState
  /// The steps, each after those that it depends on.
  package internal(set) var steps: [ProvisioningStep] = []
  /// The kinds and names of objects that do not differ.
  package internal(set) var unchanged: [(subject: String, name: String)] = []
  /// The kinds and names of objects that the file lacks and that `--prune` would remove.
  package internal(set) var extra: [(subject: String, name: String)] = []

  init(_ wanted: CompanyState) {
    company = wanted.slug
    self.wanted = wanted
  }

  /// The reasons of the differences that a file cannot remove.
  package var refusals: [DomainError] {
    steps.compactMap { step in
      guard case .refused(let error) = step.action else { return nil }
      return error
    }
  }

  /// Requires that a file can remove all differences.
  ///
  /// - Throws: the first of the refusals, with its position in the file.
  package func requirePossible() throws(DomainError) {
    if let refusal = refusals.first { throw refusal }
  }
}
