extension ManifestLint {
  /// Checks that everything that a type names exists, and that each column has one use.
  mutating func check(_ type: RecordTypeDefinition) {
    let path = "types.\(type.name)"
    let workflow = type.workflow.flatMap(manifest.workflow)
    if let name = type.workflow, workflow == nil {
      let meant = Suggestion.closest(to: name, among: manifest.workflows.compactMap(\.definition?.name))
      report(
        .unknownWorkflow,
        "\(path).workflow",
        "there is no workflow \(name)",
        meant.map { "did you mean \($0)?" } ?? "declare it under workflows"
      )
    }
    checkGrants(of: type, workflow: workflow, at: path)
    checkEdit(of: type, workflow: workflow, at: path)
    checkReferences(of: type, at: path)
    checkColumns(of: type, workflow: workflow, at: path)
    checkHooks(of: type, workflow: workflow, at: path)
    checkLimits(of: type, at: path)
    checkCommand(of: type, at: path)
    // Private records go whole.
    if type.scope == .company {
      check(type.personal, in: type.table, naming: type.creatable, at: path)
    }
    if let name = type.entitlement, !Identifier.isWord(name) {
      report(
        .invalidEntitlement,
        "\(path).entitlement",
        "\(Quoted(name)) is not an entitlement",
        "write a word such as pro"
      )
    }
  }

  private mutating func checkGrants(
    of type: RecordTypeDefinition,
    workflow: WorkflowDefinition?,
    at path: String
  ) {
    let known = Set(type.permissions(with: workflow))
    for grant in type.grants {
      for permission in grant.rules.flatMap({ $0.permissions(of: type, workflow: workflow) })
      where !known.contains(permission) {
        let meant = Suggestion.closest(to: permission.verb, among: known.map(\.verb).sorted())
        report(
          .unknownPermission,
          "\(path).grants.\(grant.role.rawValue)",
          "the type has no verb \(permission.verb)",
          meant.map { "did you mean \($0)?" } ?? "name one of the type's verbs"
        )
      }
    }
  }

  private mutating func checkEdit(
    of type: RecordTypeDefinition,
    workflow: WorkflowDefinition?,
    at path: String
  ) {
    let known = Set(type.permissions(with: workflow))
    for (index, rule) in type.edit.enumerated() {
      let place = "\(path).edit[\(index)]"
      let permission = rule.permission(on: type.name)
      if !known.contains(permission) {
        report(
          .unknownPermission,
          place,
          "there is no permission \(permission)",
          "name a permission of the type"
        )
      }
      for field in rule.fields ?? [] where !type.editable.contains(field) {
        report(
          .notEditable,
          "\(place).fields",
          "\(field) is not editable",
          "list it under editable, or leave it out"
        )
      }
      guard let when = rule.when else { continue }
      let predicate = GuardPath(when)
      check(predicate, in: type.view, at: "\(place).when")
    }
  }

  private mutating func checkReferences(of type: RecordTypeDefinition, at path: String) {
    let targets = Set(manifest.types.map(\.name)).union(context.otherTypes)
    for reference in type.references {
      let place = "\(path).references.\(reference.column)"
      if !targets.contains(reference.target) {
        let meant = Suggestion.closest(to: reference.target, among: targets.sorted())
        report(
          .unknownType,
          place,
          "there is no type \(reference.target)",
          meant.map { "did you mean \($0)?" } ?? "name an existing type"
        )
      }
      for column in [reference.column] + reference.with { look(up: column, in: type.table, at: place) }
    }
  }

  private mutating func checkColumns(
    of type: RecordTypeDefinition,
    workflow: WorkflowDefinition?,
    at path: String
  ) {
    var owners: [String: String] = [:]
    for (group, columns) in [("editable", type.editable), ("fixed", type.fixed), ("engine", type.engine)] {
      for column in columns {
        if let other = owners.updateValue(group, forKey: column) {
          report(
            .columnTwice,
            "\(path).\(group)",
            "\(column) is also listed under \(other)",
            "keep one of the two"
          )
        }
        if RecordTypeDefinition.baseColumns.contains(column) || workflow?.columnsSet.contains(column) == true
        {
          report(.reservedColumn, "\(path).\(group)", "\(column) is written by the engine", "leave it out")
        }
        look(up: column, in: type.table, at: "\(path).\(group)")
      }
    }
    for column in type.search + type.sort + type.clock + type.ownerFields + [type.titleField] {
      look(up: column, in: type.view, at: path)
    }
    for column in type.key { look(up: column, in: type.table, at: "\(path).key") }
    if workflow == nil {
      for column in ["status", "status_category"] where owners[column] != nil {
        report(
          .reservedColumn,
          path,
          "\(column) is reserved for types with a workflow",
          "name a workflow, or rename the column"
        )
      }
    }
    checkNumber(of: type, at: path)
    guard let table = context.relations?[type.table] else { return }
    let said = Set(owners.keys).union(RecordTypeDefinition.baseColumns).union(workflow?.columnsSet ?? [])
      .union(workflow.map { [$0.stateField, "status_category"] } ?? [])
    for column in table.subtracting(said).sorted() {
      report(
        .unsaidColumn,
        path,
        "the use of the column \(column) is not declared",
        "list it under editable, fixed or engine"
      )
    }
  }

  /// Checks that limits and rounding are declared only for columns that can be written.
  private mutating func checkLimits(of type: RecordTypeDefinition, at path: String) {
    let limits = type.limits.keys.sorted().map { ("limits", $0, "its limit") }
    let rounds = type.rounds.sorted().map { ("rounds", $0, "its rounding") }
    for (key, column, what) in limits + rounds where !type.creatable.contains(column) {
      let meant = Suggestion.closest(to: column, among: type.creatable)
      report(
        .invalidLimit,
        "\(path).\(key).\(column)",
        "\(column) is neither editable nor fixed, so \(what) has no effect",
        meant.map { "did you mean \($0)?" } ?? "name an editable or fixed column"
      )
    }
  }

  /// Checks that numbered types are not private: a number is unique among all records of the company.
  private mutating func checkNumber(of type: RecordTypeDefinition, at path: String) {
    guard type.number != nil else { return }
    for column in NumberRule.columns { look(up: column, in: type.view, at: "\(path).number") }
    guard type.scope == .owner else { return }
    report(
      .privateNumber,
      "\(path).number",
      "Records of a private type cannot be numbered",
      "remove number, or write scope: company"
    )
  }

  /// Checks that a predicate stays within the budget of guards, and that it reads columns of a relation.
  mutating func check(_ predicate: GuardPath, in relation: String, at path: String) {
    if let excess = predicate.excess {
      report(.guardOverBudget, path, "the condition is not allowed: \(excess)", "move it to the view")
    }
    if predicate.columns.isEmpty {
      report(.guardWithoutField, path, "the condition names no column", "write $.column")
    }
    for column in predicate.columns { look(up: column, in: relation, at: path, otherwise: .unknownField) }
  }

  /// Checks that a table or view has a column. Without facts about relations nothing is checked.
  mutating func look(
    up column: String,
    in relation: String,
    at path: String,
    otherwise code: ManifestDiagnostic.Code = .missingColumn
  ) {
    guard let relations = context.relations else { return }
    guard let known = relations[relation] else {
      report(.missingRelation, path, "there is no table or view \(relation)", "create it in the app's SQL")
      return
    }
    guard !known.contains(column) else { return }
    let meant = Suggestion.closest(to: column, among: known.sorted())
    let hint = meant.map { "did you mean \($0)?" } ?? "create it"
    report(code, path, "\(relation) has no column \(column)", hint)
  }
}
