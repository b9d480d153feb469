extension AccessDecision {
  /// Decides and explains in one: `fettle access explain` shows the steps, everything else asks ``isAllowed``.
  ///
  /// The order is the workflow kernel's: company, membership, visibility, then rights.
  package static func explain(_ question: AccessQuestion) -> AccessDecision {
    var steps: [Step] = []
    for check in [company, membership, visibility, role, scopes, ownership] {
      guard let step = check(question) else { continue }
      steps.append(step)
      if !step.passed { break }
    }
    return AccessDecision(steps: steps)
  }

  private static let readingVerbs: Set = ["read", "export"]

  private static func company(_ question: AccessQuestion) -> Step {
    let isReading = readingVerbs.contains(question.permission.wider.verb)
    do throws(DomainError) {
      try question.company.require(isReading ? .read : .write)
      return Step(
        name: "company",
        passed: true,
        finding: "The company is \(question.company.rawValue)",
        code: nil
      )
    } catch {
      return Step(name: "company", passed: false, finding: error.message, code: error.code)
    }
  }

  private static func membership(_ question: AccessQuestion) -> Step {
    guard question.actor.kind != .system else {
      return Step(name: "member", passed: true, finding: "The engine itself acts", code: nil)
    }
    guard let member = question.member else {
      return Step(name: "member", passed: false, finding: "The actor is no member", code: .forbidden)
    }
    let passed = member.status == .active
    return Step(
      name: "member",
      passed: passed,
      finding: "The membership is \(member.status.rawValue), its role \(member.role)",
      code: passed ? nil : .forbidden
    )
  }

  private static func visibility(_ question: AccessQuestion) -> Step? {
    guard question.isOwn != nil || !question.isVisible else { return nil }
    return Step(
      name: "visible",
      passed: question.isVisible,
      finding: question.isVisible ? "The record can be seen" : "There is no such record",
      code: question.isVisible ? nil : .notFound
    )
  }

  private static func role(_ question: AccessQuestion) -> Step {
    step("role", of: question.role, for: question, holder: "The role")
  }

  private static func scopes(_ question: AccessQuestion) -> Step? {
    question.scopes.map { step("scopes", of: $0, for: question, holder: "The token") }
  }

  private static func step(
    _ name: String,
    of rights: PermissionSet,
    for question: AccessQuestion,
    holder: String
  ) -> Step {
    let permission = question.permission
    switch rights.reach(of: permission) {
    case .all:
      return Step(name: name, passed: true, finding: "\(holder) allows \(permission.wider)", code: nil)
    case .own:
      return Step(name: name, passed: true, finding: "\(holder) allows \(permission.own)", code: nil)
    case .none:
      return Step(
        name: name,
        passed: false,
        finding: "\(holder) does not allow \(permission)",
        code: .forbidden
      )
    }
  }

  private static func ownership(_ question: AccessQuestion) -> Step? {
    let permission = question.permission
    guard question.rights.reach(of: permission) == .own else { return nil }
    // Asked about one's own records in general, there is no record to look at.
    if question.isOwn == nil, permission.isOwn { return nil }
    let passed = question.isOwn ?? false
    return Step(
      name: "own",
      passed: passed,
      finding: passed
        ? "The record is the actor's own" : "\(permission.own) holds for one's own records only",
      code: passed ? nil : .forbidden
    )
  }
}
