extension ProvisioningPlanner {
  /// Plans the records, each type after the types that it refers to.
  func records(
    _ wanted: CompanyState,
    _ present: [String: [RecordState]],
    _ plan: inout CompanyPlan,
    _ removals: inout [ProvisioningStep]
  ) throws {
    let sections = Dictionary(wanted.records.map { ($0.type, $0) }, uniquingKeysWith: { first, _ in first })
    for section in wanted.records { _ = try types.type(section.type, at: section.path) }
    var known: [String: Set<RecordKey>] = [:]
    for (type, records) in present { known[type] = Set(records.map(\.key)) }
    for name in types.ordered(sections.keys) {
      guard let section = sections[name] else { continue }
      let type = try types.type(name)
      let present = present[name] ?? []
      var left = Dictionary(grouping: present, by: \.key)
      var asked: [RecordKey: Int] = [:]
      let records = try parentsFirst(try section.records.map { try types.record($0, of: type) }, type)
      for record in records {
        asked[record.key, default: 0] += 1
        // If keys are not unique, the file may list the same key several times.
        if asked[record.key, default: 0] > 1, type.isUnique {
          throw DomainError(.invalidInput, "\(record.key.text) occurs twice").standing(at: record.path)
        }
        try referencesExist(record, type, known)
        known[name, default: []].insert(record.key)
      }
      // Equal records are paired first, then those that only have the same key.
      let pairs: [RecordState?] = records.map { record in
        guard let index = left[record.key]?.firstIndex(where: { isSame(record, $0, type) }) else {
          return nil
        }
        return left[record.key]?.remove(at: index)
      }
      for (record, pair) in zip(records, pairs) {
        if let before = pair ?? (left[record.key]?.isEmpty == false ? left[record.key]?.removeFirst() : nil) {
          try change(record, before, type, &plan)
        } else {
          try create(record, type, &plan)
        }
      }
      // Removals are applied in reverse order, so a record is removed before the record that it refers to.
      for record in try parentsFirst(left.values.flatMap { $0 }.sorted { $0.key.text < $1.key.text }, type) {
        remove(record, type, &plan, &removals)
      }
    }
  }

  private func isSame(_ record: RecordState, _ before: RecordState, _ type: ProvisionedTypes.Entry) -> Bool {
    differing(record, before, type).isEmpty && (record.status == nil || record.status == before.status)
  }

  /// Returns the fields of the file whose values differ from those in the database.
  private func differing(
    _ record: RecordState,
    _ before: RecordState,
    _ type: ProvisionedTypes.Entry
  ) -> [(key: String, value: JSONValue)] {
    record.fields.members.filter { column, value in
      !Self.isSame(value, before.fields[column] ?? .null, isReference: type.reference(column) != nil)
    }.map { ($0.key, $0.value) }
  }

  /// Sorts the records of a type that can refer to itself, such as rooms in houses: each record after its
  /// target.
  ///
  /// - Throws: `invalid_input` if records refer to each other in a circle.
  private func parentsFirst(_ records: [RecordState], _ type: ProvisionedTypes.Entry) throws -> [RecordState]
  {
    let own = type.columns.filter { type.reference($0)?.target == type.definition.name }
    guard !own.isEmpty else { return records }
    var waiting = records
    var result: [RecordState] = []
    while !waiting.isEmpty {
      let ready = waiting.filter { record in
        !own.contains { column in
          guard let value = record.fields[column], !value.isNull else { return false }
          let parent = RecordKey(value.array ?? [value])
          return waiting.contains { $0.key == parent }
        }
      }
      guard !ready.isEmpty else {
        throw DomainError(.invalidInput, "records refer to each other in a circle").standing(
          at: waiting[0].path
        )
      }
      result += ready
      let done = Set(ready.map(\.key))
      waiting.removeAll { done.contains($0.key) }
    }
    return result
  }

  private func referencesExist(
    _ record: RecordState,
    _ type: ProvisionedTypes.Entry,
    _ known: [String: Set<RecordKey>]
  ) throws {
    for (column, value) in record.fields.members where !value.isNull {
      guard let target = type.reference(column)?.target, !target.hasPrefix("core.") else { continue }
      let key = RecordKey(value.array ?? [value])
      guard !(known[target]?.contains(key) ?? false) else { continue }
      let closest = Suggestion.closest(to: key.text, among: (known[target] ?? []).map(\.text))
      throw DomainError(
        .notFound,
        "there is no \(target) \(Quoted(key.text))",
        hint: closest.map { "did you mean \($0)?" } ?? "add it to the file, or create it first"
      ).standing(at: record.path)
    }
  }

  private func create(_ record: RecordState, _ type: ProvisionedTypes.Entry, _ plan: inout CompanyPlan) throws
  {
    let name = type.definition.name
    let facts = record.fields.members.filter { !$0.value.isNull && $0.key != type.definition.key.last }
      .map { ProvisioningStep.Difference(type.title(of: $0.key), nil, $0.value) }
    plan.steps.append(
      ProvisioningStep(
        .created,
        name,
        record.key.text,
        facts,
        path: record.path,
        do: .createRecord(type: name, record)
      )
    )
    if let workflow = type.workflow, let status = record.status, status != workflow.initial {
      try move(record, id: nil, from: workflow.initial, to: status, type, workflow, &plan)
    }
  }

  private func change(
    _ record: RecordState,
    _ before: RecordState,
    _ type: ProvisionedTypes.Entry,
    _ plan: inout CompanyPlan
  ) throws {
    let name = type.definition.name
    let changed = differing(record, before, type)
    for (column, _) in changed where !type.definition.editable.contains(column) {
      throw DomainError(
        .fieldNotEditable,
        "\(type.title(of: column)) of \(record.key.text) cannot be changed"
      ).standing(at: record.path)
    }
    let count = plan.steps.count
    if !changed.isEmpty, let id = before.id {
      let facts = changed.map { column, value in
        ProvisioningStep.Difference(type.title(of: column), before.fields[column] ?? .null, value)
      }
      let action = ProvisioningStep.Action.updateRecord(
        type: name,
        id: id,
        fields: JSONObject(changed.map { ($0, $1) })
      )
      plan.steps.append(
        ProvisioningStep(.changed, name, record.key.text, facts, path: record.path, do: action)
      )
    }
    if let workflow = type.workflow, let status = record.status, let current = before.status,
      status != current
    {
      try move(record, id: before.id, from: current, to: status, type, workflow, &plan)
    }
    if plan.steps.count == count { plan.unchanged.append((name, record.key.text)) }
  }

  private func move(
    _ record: RecordState,
    id: String?,
    from: String,
    to: String,
    _ type: ProvisionedTypes.Entry,
    _ workflow: WorkflowDefinition,
    _ plan: inout CompanyPlan
  ) throws {
    let action: ProvisioningStep.Action
    if let way = workflow.way(from: from, to: to) {
      action = .moveRecord(type: type.definition.name, id: id, record.key, transitions: way)
    } else {
      let command = "fettle record do \(type.definition.name) TRANSITION \(record.key.text)"
      action = .refused(
        DomainError(
          .wrongState,
          "\(record.key.text) cannot be moved from \(from) to \(to) by a file",
          hint: "leave out the status, or move it first with `\(command)`"
        ).standing(at: record.path)
      )
    }
    plan.steps.append(
      ProvisioningStep(
        .changed,
        type.definition.name,
        record.key.text,
        [.init("status", .string(from), .string(to))],
        path: record.path,
        do: action
      )
    )
  }

  /// Plans the removal of a record that the file lacks.
  ///
  /// The record is deleted. If other records may refer to it, it is moved to a final status instead.
  private func remove(
    _ record: RecordState,
    _ type: ProvisionedTypes.Entry,
    _ plan: inout CompanyPlan,
    _ removals: inout [ProvisioningStep]
  ) {
    guard let id = record.id else { return }
    let name = type.definition.name
    let isFinal = record.status.flatMap { type.workflow?.state($0)?.isFinal } ?? false
    if isFinal, types.isHeld(name) { return }
    guard prunes else { return plan.extra.append((name, record.key.text)) }
    if types.isHeld(name), let workflow = type.workflow, let status = record.status,
      let end = workflow.end(from: status)
    {
      removals.append(
        ProvisioningStep(
          .removed,
          name,
          record.key.text,
          [.init("status", .string(status), .string(end.to))],
          do: .moveRecord(type: name, id: id, record.key, transitions: [end.name])
        )
      )
    } else {
      removals.append(
        ProvisioningStep(.removed, name, record.key.text, do: .deleteRecord(type: name, id: id))
      )
    }
  }

  /// True if a value in the file equals the value in the database.
  ///
  /// References are compared by key. Numbers are compared by value, also if one of them is text.
  static func isSame(_ wanted: JSONValue, _ current: JSONValue, isReference: Bool) -> Bool {
    if wanted == current { return true }
    if isReference, !wanted.isNull, !current.isNull {
      return RecordKey(wanted.array ?? [wanted]) == RecordKey(current.array ?? [current])
    }
    switch (wanted, current) {
    case (.number(let number), .string(let text)): return number.text == text
    case (.string(let text), .number(let number)): return (try? ExactDecimal(parsing: text)) == number
    default: return false
    }
  }
}

extension WorkflowDefinition {
  /// Returns the shortest sequence of transitions between two states; nil if there is none.
  ///
  /// Only transitions of people that require no fields are used.
  func way(from start: String, to end: String) -> [String]? {
    var ways: [String: [String]] = [start: []]
    var edge = [start]
    while !edge.isEmpty, ways[end] == nil {
      var next: [String] = []
      for state in edge {
        for transition in easyTransitions where transition.from.contains(state) && ways[transition.to] == nil
        {
          ways[transition.to] = (ways[state] ?? []) + [transition.name]
          next.append(transition.to)
        }
      }
      edge = next
    }
    return ways[end]
  }

  /// Returns a transition to a final state that people can take without fields; nil if there is none.
  func end(from status: String) -> WorkflowTransition? {
    easyTransitions.first { $0.from.contains(status) && state($0.to)?.isFinal == true }
  }

  private var easyTransitions: [WorkflowTransition] {
    transitions.filter { $0.by == .person && $0.require.fields.isEmpty }
  }
}
