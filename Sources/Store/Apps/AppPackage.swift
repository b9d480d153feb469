package import Domain
internal import FettleSQL
internal import Secrets

/// An app as it comes: a folder with one page of YAML, its workflows, and its SQL.
///
/// ```text
/// orchard.app.yaml          the manifest; app.yaml will do
/// tree.workflow.yaml        a workflow that the manifest names with file:
/// 0001_tables.sql           migrations, applied once, in order, never changed afterwards
/// 0002_more.sql
/// views/1_views.sql         views, dropped and made anew by every installation, in the order of their names
/// ```
package struct AppPackage: Sendable {
  /// What the page of YAML says, workflows in their places.
  package let manifest: AppManifest
  /// The numbered files.
  package let migrations: [Migration]
  /// The files below `views/`; an app that has some keeps all its views there.
  package let views: [AppFile]
  /// SHA-256 over everything that is installed.
  package let hash: [UInt8]

  /// Reads an app from its files.
  ///
  /// - Throws: `invalid_manifest` when a file is there that nothing would read, `invalid_document` when a page of YAML
  ///   cannot be read.
  package init(files: [AppFile], document: String) throws {
    let files = files.filter { AppFile.counts($0.path) }.sorted { $0.path < $1.path }
    let pages = files.filter(\.isManifest)
    guard let page = pages.first, pages.count == 1 else {
      throw DomainError(
        .invalidDocument,
        "\(document) has \(pages.isEmpty ? "no manifest" : "\(pages.count) manifests")",
        hint: "an app has one page of YAML: <name>.app.yaml or app.yaml"
      )
    }
    let manifest = try ManifestReader.read(page.text(in: document), document: "\(document)/\(page.path)")
    var workflows: [String: WorkflowDefinition] = [:]
    for file in files where manifest.workflowFiles.contains(file.path) {
      workflows[file.path] = try ManifestReader.readWorkflow(
        file.text(in: document),
        document: "\(document)/\(file.path)"
      )
    }
    self.manifest = manifest.including(workflows)
    var migrations: [Migration] = []
    for file in files where file.path.hasSuffix(".sql") && !file.makesViews {
      let text = try file.text(in: document)
      guard let migration = Migration(app: manifest.app, fileName: file.path, text: text) else {
        throw AppRefusal.error(
          .invalidManifest,
          app: manifest.app,
          ManifestDiagnostic(
            .unknownFile,
            file.path,
            "The file is no migration",
            "Call it 0001_what_it_does.sql with the next number, or put it below views/."
          )
        )
      }
      migrations.append(migration)
    }
    self.migrations = migrations.sorted { ($0.number, $0.name) < ($1.number, $1.name) }
    views = files.filter(\.makesViews)
    for view in views { _ = try view.text(in: document) }
    hash = Self.hash(files)
  }

  /// An app that the binary carries.
  package static func embedded(_ app: String) throws -> AppPackage {
    guard SQLFiles.apps.contains(app) else {
      let closest = Suggestion.closest(to: app, among: SQLFiles.apps)
      throw DomainError(
        .notFound,
        "there is no app \(Quoted(app))",
        hint: closest.map { "did you mean \($0)?" } ?? "there are: \(SQLFiles.apps.joined(separator: ", "))"
      )
    }
    return try AppPackage(files: files(embedded: app), document: app)
  }

  /// The hash that an embedded app has, without reading what it says.
  static func hash(embedded app: String) -> [UInt8] {
    hash(files(embedded: app).filter { AppFile.counts($0.path) }.sorted { $0.path < $1.path })
  }

  private static func files(embedded app: String) -> [AppFile] {
    let folder = "apps/\(app)"
    return SQLFiles.below(folder).map { AppFile(String($0.path.dropFirst(folder.count + 1)), $0.bytes) }
  }

  /// Every app that the binary carries, those that others refer to before those others.
  package static func allEmbedded() throws -> [AppPackage] {
    try ordered(SQLFiles.apps.map { try embedded($0) })
  }

  /// The same apps in an order in which they can be installed.
  package static func ordered(_ packages: [AppPackage]) -> [AppPackage] {
    var ordered: [AppPackage] = []
    var waiting = packages
    while !waiting.isEmpty {
      let names = Set(waiting.map(\.manifest.app))
      let ready = waiting.filter { names.isDisjoint(with: $0.manifest.neededApps) }
      // Apps that refer to each other cannot be installed at all; the check of the first one says why.
      ordered += ready.isEmpty ? waiting : ready
      waiting.removeAll { package in ordered.contains { $0.manifest.app == package.manifest.app } }
    }
    return ordered
  }

  private static func hash(_ files: [AppFile]) -> [UInt8] {
    // With names and lengths, so that nothing can move from one file to the next unnoticed.
    SHA256.hash(files.flatMap { Array("\($0.path)\n\($0.bytes.count)\n".utf8) + $0.bytes })
  }
}

extension AppFile {
  /// The text; everything in an app is UTF-8.
  func text(in document: String) throws -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw DomainError(.invalidDocument, "\(document)/\(path) is not UTF-8")
    }
    return text
  }
}

extension AppManifest {
  /// The other apps whose types its types point to.
  var neededApps: Set<String> {
    Set(types.flatMap { $0.references.map { String($0.target.prefix { $0 != "." }) } })
      .subtracting([app, "core"])
  }
}

extension AppPackage {
  /// What is wrong with the app as far as it can be told without a database.
  package func findings() throws -> [ManifestDiagnostic] {
    let numbering: [ManifestDiagnostic]
    do {
      _ = try MigrationPlan(files: migrations, applied: [])
      numbering = []
    } catch let error as DomainError {
      numbering = [ManifestDiagnostic(.unknownFile, "sql", error.message, error.hint)]
    }
    return manifestFindings() + numbering + AppScripts.refusals(of: self, pending: migrations)
  }

  /// What is wrong with the manifest and its workflows in themselves.
  func manifestFindings() -> [ManifestDiagnostic] {
    var context = ManifestContext()
    // References to the types of other apps are looked up when it is installed.
    let others = manifest.types.flatMap { $0.references.map(\.target) }
      .filter { !$0.hasPrefix("\(manifest.app).") && !$0.hasPrefix("core.") }
    context.otherTypes.formUnion(others)
    return manifest.validate(in: context)
  }
}
