/// The facts against which a manifest is checked. A check whose facts are nil is left out.
package struct ManifestContext: Sendable {
  /// The columns of each table and view, by `schema.name`.
  package var relations: [String: Set<String>]?
  /// The kinds of job that have a handler.
  package var jobs: Set<String>?
  /// The record types of other apps, and the types of the engine that can be referenced.
  package var otherTypes: Set<String> = ["core.membership", "core.attachment"]
  /// The record types of other apps, by their nouns on the command line.
  package var otherNouns: [String: String] = [:]
  /// The commands of compiled apps, other than the nouns in their manifests.
  package var commands: Set<String> = []
  /// The active versions of the app's workflows, by name.
  package var previous: [String: WorkflowDefinition] = [:]

  /// Creates a context without facts: only the manifest itself is checked.
  package init() {}
}

extension AppManifest {
  /// Returns all faults of the manifest and of its workflows; empty if there are none.
  ///
  /// Workflows in files must be included first, with ``including(_:)``.
  package func validate(in context: ManifestContext = ManifestContext()) -> [ManifestDiagnostic] {
    var lint = ManifestLint(manifest: self, context: context)
    lint.checkNames()
    for type in types { lint.check(type) }
    for table in tables { lint.check(table) }
    lint.checkTemplates()
    lint.checkWords()
    lint.checkReports()
    lint.checkWorkflows()
    lint.checkJobs()
    return lint.found
  }
}

/// Collects the faults of a manifest.
struct ManifestLint {
  let manifest: AppManifest
  let context: ManifestContext
  private(set) var found: [ManifestDiagnostic] = []

  /// The schemas of the engine and of PostgreSQL, which an app cannot use.
  private static let reserved: Set<String> = ["core", "report", "public", "information_schema"]

  init(manifest: AppManifest, context: ManifestContext) {
    self.manifest = manifest
    self.context = context
  }

  mutating func report(
    _ code: ManifestDiagnostic.Code,
    _ path: String,
    _ message: String,
    _ hint: String
  ) {
    found.append(ManifestDiagnostic(code, path, message, hint))
  }

  mutating func checkNames() {
    let groups = [
      ("types", manifest.types.map(\.name)),
      ("workflows", manifest.workflows.compactMap(\.definition?.name)),
      ("templates", manifest.templates.map(\.name)),
      ("reports", manifest.reports.map(\.name)),
    ]
    for (group, names) in groups {
      for (index, name) in names.enumerated() where names[..<index].contains(name) {
        report(.duplicateName, "\(group).\(name)", "\(name) is declared twice", "rename one of them")
      }
    }
    for type in manifest.types {
      let path = "types.\(type.name)"
      if !type.name.hasPrefix("\(manifest.app).") {
        report(.wrongPrefix, path, "the type's name does not begin with \"\(manifest.app).\"", "rename it")
      }
      for (key, relation) in [("table", type.table), ("view", type.view)]
      where !relation.hasPrefix("\(manifest.schema).") {
        report(.outsideSchema, "\(path).\(key)", "\(relation) is not in \(manifest.schema)", "move it there")
      }
    }
    for table in manifest.referenceTables where !table.hasPrefix("\(manifest.schema).") {
      report(.outsideSchema, "reference_tables", "\(table) is not in \(manifest.schema)", "move it there")
    }
    for (index, name) in manifest.reads.enumerated() where name != AppManifest.people {
      let path = "reads[\(index)]"
      if name.hasPrefix("\(manifest.app).") {
        report(.unknownType, path, "the app reads its own types anyway", "remove \(name)")
      } else if context.relations != nil,
        !context.otherTypes.subtracting(ManifestContext().otherTypes).contains(name)
      {
        report(
          .unknownType,
          path,
          "there is no record type \(name)",
          "name core.person, or a type of an installed app"
        )
      }
    }
    if Self.reserved.contains(manifest.schema) || manifest.schema.hasPrefix("pg_") {
      report(
        .schemaTaken,
        "schema",
        "the schema \(manifest.schema) belongs to the engine or PostgreSQL",
        "choose another name"
      )
    }
    for file in manifest.workflowFiles {
      report(
        .fileNotRead,
        "workflows",
        "the file \(Quoted(file)) was not read",
        "put it beside the manifest"
      )
    }
  }

  mutating func checkReports() {
    for item in manifest.reports {
      let path = "reports.\(item.name)"
      if !item.isVersioned {
        report(
          .invalidReport,
          "\(path).view",
          "\(item.view) is not of the form report.v1_name",
          "name it with the schema report and a version: report.v1_\(item.name)"
        )
      }
      guard let relations = context.relations else { continue }
      guard let columns = relations[item.view] else {
        report(
          .missingRelation,
          "\(path).view",
          "there is no view \(item.view)",
          "create it in the app's SQL"
        )
        continue
      }
      for order in item.order where !columns.contains(order.column) {
        let meant = Suggestion.closest(to: order.column, among: columns.sorted())
        report(
          .missingColumn,
          "\(path).order",
          "\(item.view) has no column \(order.column)",
          meant.map { "did you mean \($0)?" } ?? "name a column of the view"
        )
      }
    }
  }

  mutating func checkWorkflows() {
    let catalogue = PermissionCatalogue(apps: [manifest])
    var roles: [String: PermissionSet] = [:]
    for role in BuiltInRole.allCases { roles[role.rawValue] = role.permissions(in: [manifest]) }
    for definition in manifest.workflows.compactMap(\.definition) {
      let path = "workflows.\(definition.name)"
      guard let type = manifest.types.first(where: { $0.workflow == definition.name }) else {
        report(
          .unusedWorkflow,
          path,
          "no type uses this workflow",
          "name it as the workflow of a type, or remove it"
        )
        continue
      }
      if definition.isOwn {
        found.append(
          ManifestDiagnostic(
            code: WorkflowDiagnostic.Code.invalidName.rawValue,
            path: "\(path).version",
            message:
              "versions from \(WorkflowDefinition.ownVersions.lowerBound) are those that companies install",
            hint: "give the workflow a lower version"
          )
        )
      }
      var known = WorkflowContext()
      known.tableColumns = context.relations?[type.table]
      known.viewColumns = context.relations?[type.view]
      known.permissions = Set(catalogue.entries.map(\.permission))
      known.roles = roles
      known.jobs = Set(manifest.jobs)
      known.templates = Set(manifest.templates.map(\.name))
      known.messages = Set(manifest.messages.map(\.name))
      // An effect asks for no permission, so an app creates only its own records.
      known.types = Set(manifest.types.map(\.name))
      known.previous = context.previous[definition.name]
      for problem in definition.validate(in: known) {
        found.append(
          ManifestDiagnostic(
            code: problem.code.rawValue,
            path: "\(path).\(problem.path)",
            message: problem.message,
            hint: problem.hint
          )
        )
      }
      checkGuards(of: definition, at: path)
    }
  }
}
