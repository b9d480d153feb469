/// A file of an app that is embedded or in a folder.
package struct AppFile: Sendable, Hashable {
  /// The path in the app's folder, such as `maintenance.app.yaml`, `tables/01_machines.sql` or
  /// `views/v_entry.sql`.
  package let path: String
  package let bytes: [UInt8]

  package init(_ path: String, _ bytes: [UInt8]) {
    self.path = path
    self.bytes = bytes
  }

  /// True if a file with this path belongs to the app: YAML or SQL in the app's folder, or SQL in one of
  /// ``folders``. All other files, and those whose name begins with a dot, are ignored.
  package static func counts(_ path: String) -> Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard let name = parts.last, !name.hasPrefix(".") else { return false }
    switch parts.count {
    case 1: return [".sql", ".yaml", ".yml"].contains { name.hasSuffix($0) }
    case 2: return folders.contains(String(parts[0])) && name.hasSuffix(".sql")
    default: return false
    }
  }

  /// The folders of an app that hold SQL.
  package static let folders = ["tables", "changes", "routines", "views", "reports"]

  /// True if the file is the app's manifest: `app.yaml` or `<name>.app.yaml`, or the same with `.yml`.
  var isManifest: Bool {
    let name = path.hasSuffix(".yml") ? String(path.dropLast(4)) : String(path.dropLast(5))
    return !path.hasSuffix(".sql") && (name == "app" || name.hasSuffix(".app"))
  }

  /// True if the file defines a function or a view, as its folder shows.
  var definesRoutine: Bool { ["routines", "views", "reports"].contains(path.prefix { $0 != "/" }) }

  /// The content with the pieces that it includes, as it is installed; the content alone if a piece does not exist.
  var expanded: [UInt8] {
    let text = String(decoding: bytes, as: UTF8.self)
    guard definesRoutine, text.contains(Fragments.mark) else { return bytes }
    return (try? Fragments.embedded().expanded(text, path: path)).map { Array($0.utf8) } ?? bytes
  }

  /// Returns the function or view that the file defines.
  ///
  /// - Parameters:
  ///   - app: the app that the file belongs to.
  ///   - schema: the app's schema; a file below `reports/` defines a view in `report`.
  /// - Throws: ``RoutineFault`` if the file does not have the form of a function or view.
  func routine(app: String, schema: String) throws(RoutineFault) -> Routine {
    try Routine(
      app: app,
      schema: path.hasPrefix("reports/") ? "report" : schema,
      kind: path.hasPrefix("routines/") ? .function : .view,
      path: path,
      text: Fragments.embedded().expanded(String(decoding: bytes, as: UTF8.self), path: path)
    )
  }
}
