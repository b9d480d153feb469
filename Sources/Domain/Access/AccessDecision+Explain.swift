extension AccessDecision {
  /// Runs the checks of an action up to the first that fails, for `fettle access explain`.
  ///
  /// The checks are the functions that commands call: ``CompanyStatus/require(_:)``,
  /// ``AccessRules/requireActive(_:)``, ``ActorRights/may(_:ownedBy:)``, and, for a record, those of
  /// ``KernelCheck`` and ``RecordRules``.
  package static func explain(_ question: AccessQuestion) -> AccessDecision {
    var trail = Trail()
    company(question, &trail)
    member(question, &trail)
    visibility(question, &trail)
    permission(question, &trail)
    record(question, &trail)
    return AccessDecision(steps: trail.steps)
  }

  /// The results so far. After a failed check no other one runs.
  private struct Trail {
    var steps: [Step] = []

    mutating func check(
      _ name: String,
      _ finding: @autoclosure () -> String,
      _ body: () throws(DomainError) -> Void
    ) {
      if let last = steps.last, !last.passed { return }
      do throws(DomainError) {
        try body()
        steps.append(Step(name: name, passed: true, finding: finding(), code: nil))
      } catch {
        steps.append(Step(name: name, passed: false, finding: error.message, code: error.code))
      }
    }
  }

  private static let readingVerbs: Set = ["read", "export"]

  private static func company(_ question: AccessQuestion, _ trail: inout Trail) {
    let isReading = readingVerbs.contains(question.permission.wider.verb)
    trail.check("company", "the company is \(question.company.rawValue)") { () throws(DomainError) in
      try question.company.require(isReading ? .read : .write)
    }
  }

  private static func member(_ question: AccessQuestion, _ trail: inout Trail) {
    guard question.actor.kind != .system else {
      trail.check("member", "the engine itself acts") { () throws(DomainError) in }
      return
    }
    let finding = question.member.map { "the membership is \($0.status.rawValue), its role \($0.role)" } ?? ""
    trail.check("member", finding) { () throws(DomainError) in try AccessRules.requireActive(question.member)
    }
  }

  private static func visibility(_ question: AccessQuestion, _ trail: inout Trail) {
    guard let record = question.record else { return }
    trail.check("visible", "the actor can see the record") { () throws(DomainError) in
      try KernelCheck.visible.require(subject("", record, question))
    }
  }

  /// Checks the permission as ``ActorRights/may(_:ownedBy:)`` does, in three steps: the role's permissions,
  /// the token's scopes, and the ownership of the record.
  private static func permission(_ question: AccessQuestion, _ trail: inout Trail) {
    hold("role", "the role", question.role, question.permission, &trail)
    if let scopes = question.scopes { hold("scopes", "the token", scopes, question.permission, &trail) }
    let permission = question.permission
    guard question.rights.reach(of: permission) == .own else { return }
    // Without a record there is no owner to compare.
    if question.record == nil, permission.isOwn { return }
    trail.check("own", "the record is the actor's own") { () throws(DomainError) in
      let owners = question.record?.snapshot.owners ?? []
      guard question.actorRights.may(permission, ownedBy: owners) else {
        throw DomainError(.forbidden, "\(permission.own) applies only to own records")
      }
    }
  }

  private static func hold(
    _ name: String,
    _ holder: String,
    _ rights: PermissionSet,
    _ permission: Permission,
    _ trail: inout Trail
  ) {
    let reach = rights.reach(of: permission)
    let held = reach == .all ? permission.wider : permission.own
    trail.check(name, "\(holder) allows \(held)") { () throws(DomainError) in
      if reach == .none { throw DomainError(.forbidden, "\(holder) does not allow \(permission)") }
    }
  }

  /// Checks the action against the record's status: edit rules, deletion, or the checks of a transition.
  private static func record(_ question: AccessQuestion, _ trail: inout Trail) {
    guard let record = question.record, let rules = record.rules else { return }
    let (snapshot, rights, verb) = (record.snapshot, question.actorRights, question.permission.wider.verb)
    switch verb {
    case "update":
      trail.check("rule", "an edit rule allows the edit now") { () throws(DomainError) in
        try rules.requireEdit(RecordPatch([:]), of: snapshot, by: rights, conditions: record.conditions)
      }
    case "delete":
      trail.check("rule", "the status allows the deletion") { () throws(DomainError) in
        try rules.requireDelete(snapshot, by: rights, conditions: record.conditions)
      }
    default:
      guard let name = transition(of: question, rules) else { return }
      let findings: [(KernelCheck, String)] = [
        (.permission, "the transition \(name) exists and is not disabled"),
        (.status, "the status of the record allows \(name)"), (.fourEyes, "no other person is required"),
        (.guards, "every guard of \(name) holds"),
      ]
      for (check, finding) in findings {
        trail.check(check.stepName, finding) { () throws(DomainError) in
          do throws(DomainError) {
            try check.require(subject(name, record, question))
          } catch {
            throw error.wording(record.messages)
          }
        }
      }
    }
  }

  /// Returns the transition that requires the permission; if several do, one that is possible now. Nil
  /// without a workflow, or if none does.
  private static func transition(of question: AccessQuestion, _ rules: RecordRules) -> String? {
    guard let workflow = rules.workflow, let record = question.record else { return nil }
    let candidates = workflow.transitions.filter { $0.permission?.wider == question.permission.wider }
    let possible = candidates.first {
      Kernel.refusal(of: $0.name, on: record.snapshot, by: question.actorRights, under: workflow) == nil
    }
    return (possible ?? candidates.first)?.name
  }

  private static func subject(
    _ transition: String,
    _ record: AccessQuestion.Subject,
    _ question: AccessQuestion
  ) -> KernelCheck.Subject {
    KernelCheck.Subject(
      transition,
      input: .satisfying,
      record: record.snapshot,
      rights: question.actorRights,
      definition: record.rules?.workflow
    )
  }
}

extension KernelCheck {
  /// Returns the check's name in `fettle access explain`.
  fileprivate var stepName: String { self == .permission ? "transition" : rawValue }
}
