internal import FoundationEssentials

/// Runs the tests in a workflow's file on a record in memory.
package enum WorkflowTestRun {
  /// Returns the first step whose result is not the expected one, as a message; nil if the test passes.
  ///
  /// Each role has one actor. The actor of the role `user` owns the record.
  ///
  /// - Parameters:
  ///   - roles: the permissions of each role, by its name.
  ///   - evaluate: evaluates a guard, given its predicate and the record's fields. By default every guard
  ///     holds, because only PostgreSQL can evaluate it.
  /// PostgreSQL can evaluate them.
  package static func failure(
    of test: WorkflowTest,
    under definition: WorkflowDefinition,
    roles: [String: PermissionSet],
    evaluate: (String, JSONObject) -> Bool? = { _, _ in true }
  ) -> String? {
    var status = definition.initial
    var fields = test.given
    var version: Int64 = 1
    let now = Instant(seconds: 0)
    for (index, step) in test.steps.enumerated() {
      let place = "step \(index + 1), \(step.role) does \(step.transition)"
      guard step.role == "system" || roles[step.role] != nil else { return "\(place): no such role" }
      let rights =
        step.role == "system"
        ? ActorRights.system("test")
        : ActorRights(
          actor: .member(person(playing: step.role)),
          company: .active,
          permissions: roles[step.role] ?? .none
        )
      let guards = definition.transition(step.transition)?.guards.map { evaluate($0.path, fields) } ?? []
      let record = RecordSnapshot(
        status: status,
        version: version,
        owners: [person(playing: "user")],
        fields: fields,
        guards: [step.transition: guards]
      )
      let request = TransitionRequest(step.transition, comment: step.comment, fields: step.fields)
      let outcome = Result { () throws(DomainError) in
        try Kernel.apply(request, to: record, by: rights, under: definition, at: now)
      }
      switch (outcome, step.outcome) {
      case (.success(let plan), .state(let expected)) where plan.to == expected:
        status = plan.to
        version = plan.version
        for write in plan.set { fields[write.column] = write.value }
      case (.success(let plan), .state(let expected)):
        return "\(place): the record is \(plan.to), not \(expected)"
      case (.success(let plan), .refusal(let code)):
        return "\(place): the record is \(plan.to) instead of refused with \(code.rawValue)"
      case (.failure(let error), .refusal(let code)) where error.code == code:
        continue
      case (.failure(let error), _):
        return "\(place): refused with \(error.code.rawValue): \(error.message)"
      }
    }
    return nil
  }

  /// Returns the id of the user with a role; it is the same in every run.
  private static func person(playing role: String) -> UUID {
    var bytes = Array(role.utf8.prefix(16))
    bytes += Array(repeating: 0, count: 16 - bytes.count)
    return UUID(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
        bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      )
    )
  }
}
