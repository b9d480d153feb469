package import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// A document to be checked: a workflow's file, an overlay's file, or an app with all its workflows.
package enum WorkflowDocument: Sendable {
  case workflow(WorkflowDefinition)
  case overlay(WorkflowOverlay)
  case app(AppManifest)

  /// Reads a file, or an app by its name or folder.
  ///
  /// - Throws: `not_found`, or `invalid_document` with the position.
  package static func read(_ source: String) throws -> WorkflowDocument {
    var isFolder = false
    guard FileManager.default.fileExists(atPath: source, isDirectory: &isFolder), !isFolder else {
      return .app(try AppPackage.named(source).manifest)
    }
    let text = try FileChunks(path: source).text(limits: .written, document: source)
    func begins(with key: String) -> Bool {
      text.split(separator: "\n").contains { $0.hasPrefix("\(key):") || $0.hasPrefix("{\"\(key)\"") }
    }
    if begins(with: "app") { return .app(try AppPackage.named(source).manifest) }
    if begins(with: "overlay") || text.hasPrefix("{"), text.contains("overlay") {
      return .overlay(try YAMLDocument.decode(WorkflowOverlay.self, text, document: source))
    }
    return .workflow(try ManifestReader.readWorkflow(text, document: source))
  }

  /// Returns a workflow as the object of its file, with its keys in the order in which people write them.
  package static func object(of definition: WorkflowDefinition) throws -> JSONValue {
    arranged(try JSON(encoding: definition).value())
  }

  private static let order = [
    "workflow", "version", "initial", "state_field", "name", "label", "category", "color", "from", "to", "by",
    "permission",
    "require", "set", "effects", "after", "states", "transitions", "migrate", "given", "as", "do", "comment",
    "expect",
    "refuse", "steps", "tests",
  ]

  private static func arranged(_ value: JSONValue) -> JSONValue {
    switch value {
    case .array(let values): return .array(values.map(arranged))
    case .object(let object):
      let members = object.members.map { ($0.key, arranged($0.value)) }.sorted { left, right in
        let places = [left, right].map { order.firstIndex(of: $0.0) ?? order.count }
        return (places[0], left.0) < (places[1], right.0)
      }
      return .object(JSONObject(members))
    default: return value
    }
  }

  /// The app's name, or the workflow's name with `@` and its version.
  package var name: String {
    switch self {
    case .workflow(let definition): "\(definition.name)@\(definition.version)"
    case .overlay(let overlay): "\(overlay.workflow)@\(overlay.version)"
    case .app(let manifest): manifest.app
    }
  }

  /// Returns the findings that require no database. An overlay of a version that is not bundled has none.
  package func findings() throws -> [ManifestDiagnostic] {
    switch self {
    case .app(let manifest):
      return manifest.validate().filter { $0.path.hasPrefix("workflows.") }
    case .workflow(let definition):
      if let found = try WorkflowRules.findings(aboutOwn: definition) { return found }
      guard let manifest = Self.embedded(app: definition.app), manifest.type(definition.name) != nil else {
        return definition.validate().map(\.ofManifest)
      }
      return manifest.findings(about: definition)
    case .overlay(let overlay):
      let manifest = Self.embedded(app: String(overlay.workflow.prefix { $0 != "." }))
      guard let definition = manifest?.workflow(overlay.workflow), definition.version == overlay.version
      else {
        return []  // requires a database
      }
      return overlay.validate(against: definition).map(\.ofManifest)
    }
  }

  private static func embedded(app: String) -> AppManifest? {
    guard Installation.embeddedApps.contains(app) else { return nil }
    return try? AppPackage.embedded(app).manifest  // compiled manifests were read before
  }
}

extension Workflows {
  /// Returns the findings that require a database: about columns, guards and earlier versions.
  package func findings(in document: WorkflowDocument) async throws -> [ManifestDiagnostic] {
    switch document {
    case .app(let manifest):
      var found: [ManifestDiagnostic] = []
      for definition in manifest.workflows.compactMap(\.definition) {
        found += try await findings(in: definition, of: manifest)
      }
      return found
    case .workflow(let definition): return try await findings(in: definition, of: nil)
    case .overlay(let overlay): return try await findings(in: overlay)
    }
  }

  private func findings(in definition: WorkflowDefinition, of own: AppManifest?) async throws
    -> [ManifestDiagnostic]
  {
    let type = records.catalogue.types.first { $0.name == definition.name }
    return try await services.database.transaction { tx in
      let stored = try WorkflowStore.manifest(of: definition.app, tx)
      var context = ManifestContext()
      if let type {
        context.relations = [
          type.definition.table: Set(type.columns.map(\.name)),
          type.definition.view: Set(type.viewColumns.map(\.name)),
        ]
      }
      let versions = try WorkflowStore.versions(of: definition.name, for: nil, tx)
      if own == nil, let stored, stored.type(definition.name) != nil,
        let base = try WorkflowStore.definition(of: definition.name, version: definition.version, tx),
        base != definition
      {
        return try WorkflowRules.findings(aboutOwn: definition, madeFrom: base, of: stored, tx)
      }
      if let before = versions.last(where: { $0 < definition.version }) {
        context.previous[definition.name] = try WorkflowStore.definition(
          of: definition.name,
          version: before,
          tx
        )
      }
      let manifest = own ?? stored
      let found =
        manifest?.findings(about: definition, in: context) ?? definition.validate().map(\.ofManifest)
      let lacking = context.previous[definition.name].map(definition.statesLacking) ?? []
      let named =
        try stored.map { stored in
          try stored.findings(
            aboutStatesLacking: lacking,
            of: definition.name,
            in: lacking.isEmpty ? [] : WorkflowRules.texts(of: stored, tx)
          )
        } ?? []
      return found + named + (try GuardParser.findings(in: definition, tx).map(\.ofManifest))
    }
  }

  private func findings(in overlay: WorkflowOverlay) async throws -> [ManifestDiagnostic] {
    try requireWorkflow(overlay.workflow)
    let type = try records.catalogue.type(overlay.workflow)
    return try await services.database.transaction { tx in
      let versions = try WorkflowStore.versions(of: overlay.workflow, for: nil, tx)
      // If the overlay's version was never installed, the newest version is used; the overlay's check reports
      // this.
      let definition =
        try WorkflowStore.definition(of: overlay.workflow, version: overlay.version, tx)
        ?? Self.definition(of: overlay.workflow, version: versions.last ?? overlay.version, versions, tx)
      let found = overlay.validate(against: definition, in: Self.context(of: type))
      return (found.isEmpty ? try GuardParser.findings(in: overlay, tx) : found).map(\.ofManifest)
    }
  }
}
