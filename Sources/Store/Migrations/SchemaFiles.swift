internal import Domain
internal import FettleSQL

/// The SQL of one schema: files of tables, changes, functions and views.
package struct SchemaFiles: Sendable {
  /// `core`, or an app's name.
  package let app: String
  /// Files of tables and changes.
  package let migrations: [Migration]
  /// Functions and views.
  package let routines: [Routine]

  package init(app: String, migrations: [Migration], routines: [Routine] = []) {
    self.app = app
    self.migrations = migrations
    self.routines = routines
  }

  /// Reads the embedded SQL of the engine's own schema and its reports.
  ///
  /// - Parameter other: texts to read instead of embedded files, by path below `sql/`.
  /// - Throws: `migration_failed` if a file cannot be read.
  package static func core(replacing other: [String: String] = [:]) throws -> SchemaFiles {
    do {
      return try read(replacing: other)
    } catch {
      throw DomainError.routineFault(app: "core", error)
    }
  }

  private static func read(replacing other: [String: String]) throws(RoutineFault) -> SchemaFiles {
    var migrations: [Migration] = []
    var routines: [Routine] = []
    let fragments = Fragments.embedded(replacing: other)
    for file in SQLFiles.below("core") where !file.path.hasPrefix("core/includes/") {
      let path = String(file.path.dropFirst("core/".count))
      let text = try fragments.expanded(other[file.path] ?? file.text, path: path)
      if path.hasPrefix("routines/") || path.hasPrefix("views/") {
        let kind: Routine.Kind = path.hasPrefix("views/") ? .view : .function
        routines.append(try Routine(app: "core", schema: "core", kind: kind, path: path, text: text))
      } else if let migration = Migration(app: "core", path: path, text: text) {
        migrations.append(migration)
      }
    }
    for file in SQLFiles.below("report") {
      let text = other[file.path] ?? file.text
      routines.append(try Routine(app: "core", schema: "report", kind: .view, path: file.path, text: text))
    }
    return SchemaFiles(app: "core", migrations: migrations, routines: routines)
  }
}
