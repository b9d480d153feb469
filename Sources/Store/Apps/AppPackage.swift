package import Domain
internal import FettleSQL
internal import Secrets

/// An app as it is delivered: a folder with a manifest in YAML, its workflows, and its SQL.
///
/// ```text
/// orchard.app.yaml          the manifest; may be called app.yaml instead
/// tree.workflow.yaml        a workflow that the manifest names with file:
/// tables/01_trees.sql       tables by topic, applied once, in order, never edited afterwards
/// changes/0001_height.sql   later changes of tables, applied once, in order, never edited afterwards
/// routines/ripe_on.sql      functions, one per file, applied again when the file differs
/// views/v_tree.sql          views, in the same way
/// reports/v1_yield.sql      views of the schema report, in the same way
/// ```
package struct AppPackage: Sendable {
  /// The manifest, with its workflows.
  package let manifest: AppManifest
  /// The files of tables and changes, in the order of their paths.
  package let migrations: [Migration]
  /// The app's functions and views.
  package let routines: [Routine]
  /// The faults in the files of functions and views that cannot be read.
  let faults: [ManifestDiagnostic]
  /// SHA-256 of the paths and contents of the app's files, with the pieces that they include.
  package let hash: [UInt8]
  /// True for an app of this binary: its SQL is as trusted as the engine's.
  package let isEmbedded: Bool

  /// Reads an app from its files. Files for which ``AppFile/counts(_:)`` is false are ignored.
  ///
  /// - Throws: `invalid_manifest` if an SQL file is outside of the folders for SQL, or if the name of a file
  ///   of tables or changes has another form; `invalid_document` if there is not exactly one manifest, or a
  ///   file cannot be read.
  package init(files: [AppFile], document: String) throws {
    try self.init(files: files, document: document, isEmbedded: false)
  }

  private init(files: [AppFile], document: String, isEmbedded: Bool) throws {
    let files = files.filter { AppFile.counts($0.path) }.sorted { $0.path < $1.path }
    let manifest = try Self.manifest(in: files, document: document)
    self.manifest = manifest
    var migrations: [Migration] = []
    var routines: [Routine] = []
    var faults: [ManifestDiagnostic] = []
    for file in files where file.path.hasSuffix(".sql") {
      let text = try file.text(in: document)
      guard !file.definesRoutine else {
        do {
          routines.append(try file.routine(app: manifest.app, schema: manifest.schema))
        } catch {
          faults.append(Self.finding(error))
        }
        continue
      }
      guard let migration = Migration(app: manifest.app, path: file.path, text: text) else {
        throw AppRefusal.error(
          .invalidManifest,
          app: manifest.app,
          ManifestDiagnostic(
            .unknownFile,
            file.path,
            "no installation reads an SQL file of this path",
            "rename it to tables/01_topic.sql or changes/0001_what_it_changes.sql, or move it to routines/, views/ or reports/"
          )
        )
      }
      migrations.append(migration)
    }
    self.migrations = migrations
    self.routines = routines
    self.faults = faults
    hash = Self.hash(files)
    self.isEmbedded = isEmbedded
  }

  /// Reads an embedded app.
  ///
  /// - Throws: `not_found` if there is no such app, and the errors of ``init(files:document:)``.
  package static func embedded(_ app: String) throws -> AppPackage {
    guard SQLFiles.apps.contains(app) else {
      let closest = Suggestion.closest(to: app, among: SQLFiles.apps)
      throw DomainError(
        .notFound,
        "there is no app \(Quoted(app))",
        hint: closest.map { "did you mean \($0)?" } ?? "use one of: \(SQLFiles.apps.joined(separator: ", "))"
      )
    }
    return try AppPackage(files: files(embedded: app), document: app, isEmbedded: true)
  }

  /// Returns the hash of an embedded app without parsing it.
  static func hash(embedded app: String) -> [UInt8] {
    hash(files(embedded: app).filter { AppFile.counts($0.path) }.sorted { $0.path < $1.path })
  }

  static func files(embedded app: String) -> [AppFile] {
    let folder = "apps/\(app)"
    return SQLFiles.below(folder).map { AppFile(String($0.path.dropFirst(folder.count + 1)), $0.bytes) }
  }

  /// Reads all embedded apps; an app comes after those that it refers to.
  package static func allEmbedded() throws -> [AppPackage] {
    try ordered(SQLFiles.apps.map { try embedded($0) })
  }

  /// Returns the apps in an order in which they can be installed: each after those that it refers to.
  package static func ordered(_ packages: [AppPackage]) -> [AppPackage] {
    var ordered: [AppPackage] = []
    var waiting = packages
    while !waiting.isEmpty {
      let names = Set(waiting.map(\.manifest.app))
      let ready = waiting.filter { names.isDisjoint(with: $0.manifest.neededApps) }
      // Apps that refer to each other cannot be installed; the check of the first of them reports the reason.
      ordered += ready.isEmpty ? waiting : ready
      waiting.removeAll { package in ordered.contains { $0.manifest.app == package.manifest.app } }
    }
    return ordered
  }

  /// The columns of the schema core that the app's views and functions may read. An app with exactly the content
  /// of one of this binary may read what that one reads.
  var readableColumns: [String] {
    SQLFiles.apps.contains(manifest.app) && hash == Self.hash(embedded: manifest.app)
      ? AuthorRule.columns + AuthorRule.columnsOfOurs : AuthorRule.columns
  }

  /// The app's SQL, for the migrator's plan.
  package var schemaFiles: SchemaFiles {
    SchemaFiles(app: manifest.app, migrations: migrations, routines: routines)
  }

  private static func finding(_ fault: RoutineFault) -> ManifestDiagnostic {
    ManifestDiagnostic(.statementNotAllowed, "\(fault.path):\(fault.line)", fault.message, fault.hint)
  }

  private static func hash(_ files: [AppFile]) -> [UInt8] {
    // Includes names and lengths, so that no text can move from one file to the next unnoticed.
    SHA256.hash(
      files.flatMap { file in
        let bytes = file.expanded
        return Array("\(file.path)\n\(bytes.count)\n".utf8) + bytes
      }
    )
  }
}

extension AppFile {
  /// Returns the file's text.
  ///
  /// - Throws: `invalid_document` if the file is not UTF-8.
  func text(in document: String) throws -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw DomainError(.invalidDocument, "\(document)/\(path) is not UTF-8")
    }
    return text
  }
}

extension AppManifest {
  /// The other apps that the app's types refer to.
  var neededApps: Set<String> {
    Set((types.flatMap { $0.references.map(\.target) } + reads).map { String($0.prefix { $0 != "." }) })
      .subtracting([app, "core"])
  }
}

extension AppPackage {
  /// Returns the findings about the app that need no database.
  ///
  /// - Parameter commands: the commands of compiled apps, which no noun may have.
  package func findings(commands: Set<String> = []) throws -> [ManifestDiagnostic] {
    let numbering: [ManifestDiagnostic]
    do {
      _ = try MigrationPlan(files: migrations, applied: [])
      numbering = []
    } catch let error as DomainError {
      numbering = [ManifestDiagnostic(.unknownFile, "sql", error.message, error.hint)]
    }
    let renamed = manifest.workflows.compactMap(\.definition).flatMap { definition in
      manifest.findings(
        aboutStatesLacking: definition.migrate.map(\.from).filter { definition.state($0) == nil },
        of: definition.name,
        in: namingTexts
      )
    }
    return manifestFindings(commands: commands) + numbering + renamed
      + AppScripts.refusals(of: self, pending: migrations)
  }

  /// Returns the findings about the manifest and its workflows alone.
  func manifestFindings(commands: Set<String>) -> [ManifestDiagnostic] {
    var context = ManifestContext()
    context.commands = commands
    // The installation resolves references to the types of other apps.
    let others = (manifest.types.flatMap { $0.references.map(\.target) } + manifest.reads)
      .filter { !$0.hasPrefix("\(manifest.app).") && !$0.hasPrefix("core.") }
    context.otherTypes.formUnion(others)
    if manifest.types.contains(where: { $0.command != nil }) {
      context.otherNouns = Self.embeddedNouns(besides: manifest.app)
    }
    return manifest.validate(in: context)
  }
}
