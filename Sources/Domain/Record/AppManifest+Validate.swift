/// Something wrong with a manifest.
package struct ManifestDiagnostic: Sendable, Hashable, Codable {
  /// Where in the file: `types.maintenance.entry.edit[1].fields`.
  package let path: String
  /// What is wrong.
  package let message: String
  /// What to do about it.
  package let hint: String
}

extension ManifestDiagnostic: CustomStringConvertible {
  /// One line for a terminal.
  package var description: String { "\(path): \(message). \(hint)" }
}

/// What a manifest is held against; what is nil is not checked.
package struct ManifestContext: Sendable {
  /// The columns of each table and view, as `schema.name`.
  package var relations: [String: Set<String>]?
  /// The kinds of job that have a handler.
  package var jobs: Set<String>?
  /// The record types of other apps, and those of core that can be pointed to.
  package var otherTypes: Set<String> = ["core.membership", "core.attachment"]
  /// The versions of its workflows that are active now, by name.
  package var previous: [String: WorkflowDefinition] = [:]

  /// A context that checks only what the manifest says of itself.
  package init() {}
}

extension AppManifest {
  /// Everything that is wrong with the manifest and its workflows; sound when empty.
  ///
  /// Workflows in files have to be included before.
  package func validate(in context: ManifestContext = ManifestContext()) -> [ManifestDiagnostic] {
    var lint = ManifestLint(manifest: self, context: context)
    lint.checkNames()
    for type in types { lint.check(type) }
    for table in tables { lint.check(table) }
    lint.checkReports()
    lint.checkWorkflows()
    return lint.found
  }
}

/// Collects what is wrong with one manifest.
struct ManifestLint {
  let manifest: AppManifest
  let context: ManifestContext
  private(set) var found: [ManifestDiagnostic] = []

  init(manifest: AppManifest, context: ManifestContext) {
    self.manifest = manifest
    self.context = context
  }

  mutating func report(_ path: String, _ message: String, _ hint: String) {
    found.append(ManifestDiagnostic(path: path, message: message, hint: hint))
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
        report("\(group).\(name)", "\(name) is there twice", "Rename one of them.")
      }
    }
    for type in manifest.types where !type.name.hasPrefix("\(manifest.app).") {
      report("types.\(type.name)", "The type does not begin with \(manifest.app).", "Rename it.")
    }
    for file in manifest.workflowFiles {
      report("workflows", "The file \(Quoted(file)) was not read", "Put it beside the manifest.")
    }
  }

  mutating func checkReports() {
    for item in manifest.reports {
      guard let relations = context.relations, relations[item.view] == nil else { continue }
      report("reports.\(item.name).view", "There is no view \(item.view)", "Create it in the app's SQL.")
    }
  }

  mutating func checkWorkflows() {
    let catalogue = PermissionCatalogue(apps: [manifest])
    var roles: [String: PermissionSet] = [:]
    for role in BuiltInRole.allCases { roles[role.rawValue] = role.permissions(in: [manifest]) }
    for definition in manifest.workflows.compactMap(\.definition) {
      let path = "workflows.\(definition.name)"
      guard let type = manifest.types.first(where: { $0.workflow == definition.name }) else {
        report(path, "No type uses this workflow", "Name it under the type's workflow, or take it out.")
        continue
      }
      var known = WorkflowContext()
      known.tableColumns = context.relations?[type.table]
      known.viewColumns = context.relations?[type.view]
      known.permissions = Set(catalogue.entries.map(\.permission))
      known.roles = roles
      known.jobs = context.jobs ?? Set(manifest.jobs)
      known.templates = Set(manifest.templates.map(\.name))
      known.messages = Set(manifest.messages.map(\.name))
      known.types = Set(manifest.types.map(\.name)).union(context.otherTypes)
      known.previous = context.previous[definition.name]
      for problem in definition.validate(in: known) {
        report("\(path).\(problem.path)", problem.message, problem.hint)
      }
    }
  }
}
