internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Follow-ups of a record's write in the same unit of work: hooks, and records created by effects.
extension Records {
  /// The maximum depth of follow-ups. It stops an app whose hooks form a cycle.
  private static let longestChain = 8

  /// Applies the hooks on the last change.
  ///
  /// A hook's transition is skipped if it does not start from the record's status or if a guard refuses it,
  /// because a follow-up must not block a member's command.
  ///
  /// - Returns: the result after all hooks.
  /// - Throws: `invalid_workflow` if follow-ups are nested more than 8 levels deep.
  func follow(
    _ hooks: [RecordHook],
    _ answer: RecordAnswer,
    from acting: ActingContext,
    in work: inout Work
  ) throws -> RecordAnswer {
    guard let cause = work.changes.history.last, !hooks.isEmpty else { return answer }
    let type = try catalogue.type(answer.type)
    var latest = answer
    for hook in hooks {
      switch hook.action {
      case .job(let kind):
        work.changes.jobs.append(
          NewJob(kind, about: answer.type, answer.id, at: cause.seq, id: work.newID())
        )
      case .fire(let transition):
        latest = try fire(transition, on: latest, of: type, from: acting, in: &work)
      }
    }
    return latest
  }

  /// Applies the hooks on the columns that a transition set.
  func follow(
    _ plan: TransitionPlan,
    of type: RecordType,
    _ answer: RecordAnswer,
    from acting: ActingContext,
    in work: inout Work
  ) throws -> RecordAnswer {
    let columns = plan.set.map(\.column)
    let hooks = Hooks(.change, of: type).namingColumns.following(columns)
    guard !hooks.isEmpty else { return answer }
    let set = JSONObject(plan.set.map { ($0.column, $0.value) })
    let answers = try work.readMore { pipeline in
      hooks.ask(about: [answer.id], of: type, company: acting.company.id, with: set, &pipeline)
    }
    return try follow(hooks.holding(answers?.first?.1 ?? []), answer, from: acting, in: &work)
  }

  private func fire(
    _ transition: String,
    on answer: RecordAnswer,
    of type: RecordType,
    from acting: ActingContext,
    in work: inout Work
  ) throws -> RecordAnswer {
    try work.writeRowsNow()
    return try nested(in: &work) { work in
      do {
        return try self.transition(
          acting.system("hook", for: type),
          type: type.name,
          id: answer.id,
          request: TransitionRequest(transition),
          in: &work
        )
      } catch let error as DomainError where [.wrongState, .guardRefused].contains(error.code) {
        return answer
      }
    }
  }

  /// Creates the records that the effects of a transition declare. A value such as `$.name` is the record's
  /// column `name` after the transition.
  ///
  /// - Throws: `invalid_workflow` if the record has no such column, and the errors of creating a record.
  func create(
    from plan: TransitionPlan,
    of type: RecordType,
    _ before: JSONObject,
    from acting: ActingContext,
    in work: inout Work
  ) throws {
    for case .create(let name, let set) in plan.effects {
      let fields = before.after(plan)
      let other = try catalogue.type(name)
      let given = JSONObject(
        try set.members.map { column, value in
          guard let text = value.string, text.hasPrefix("$.") else { return (column, value) }
          guard let source = fields[String(text.dropFirst(2))] else {
            throw DomainError(.invalidWorkflow, "\(type.name) has no column \(text.dropFirst(2)) to copy")
          }
          return (column, source)
        }
      )
      // The new record may refer to this record and to the records created before it.
      try work.writeRowsNow()
      try nested(in: &work) { work in
        _ = try create(
          acting.system("effect", for: other),
          type: name,
          id: work.newID(),
          fields: given,
          in: &work
        )
      }
    }
  }

  private func nested<Value>(in work: inout Work, _ body: (inout Work) throws -> Value) throws -> Value {
    guard work.depth < Self.longestChain else {
      throw DomainError(.invalidWorkflow, "follow-ups are nested more than \(Self.longestChain) levels deep")
    }
    work.depth += 1
    defer { work.depth -= 1 }
    return try body(&work)
  }
}

extension ActingContext {
  /// Returns the engine's acting context for the follow-ups of a command. For a private type it keeps the
  /// acting member, who owns the records.
  func system(_ part: String, for type: RecordType) -> ActingContext {
    ActingContext(company: company, actor: .system(part), user: type.definition.scope == .owner ? user : nil)
  }
}

extension JSONObject {
  /// Returns a record's fields after a transition.
  fileprivate func after(_ plan: TransitionPlan) -> JSONObject {
    var fields = self
    for write in plan.set { fields[write.column] = write.value }
    fields["status"] = .string(plan.to)
    fields["status_category"] = .string(plan.category.rawValue)
    fields["version"] = .integer(plan.version)
    return fields
  }
}
