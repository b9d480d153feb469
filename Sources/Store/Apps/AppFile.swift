/// A file of an app, wherever the app comes from.
package struct AppFile: Sendable, Hashable {
  /// Its path in the app's folder: `maintenance.app.yaml`, `0001_tables.sql`, `views/v_entry.sql`.
  package let path: String
  /// What it says, byte for byte.
  package let bytes: [UInt8]

  package init(_ path: String, _ bytes: [UInt8]) {
    self.path = path
    self.bytes = bytes
  }

  /// Whether an installation reads files of this path.
  package static func counts(_ path: String) -> Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard let name = parts.last, !name.hasPrefix(".") else { return false }
    switch parts.count {
    case 1: return [".sql", ".yaml", ".yml"].contains { name.hasSuffix($0) }
    case 2: return parts[0] == "views" && name.hasSuffix(".sql")
    default: return false
    }
  }

  /// Whether it is the app's page of YAML.
  var isManifest: Bool {
    let name = path.hasSuffix(".yml") ? String(path.dropLast(4)) : String(path.dropLast(5))
    return !path.hasSuffix(".sql") && (name == "app" || name.hasSuffix(".app"))
  }

  /// Whether it makes views, which every installation makes anew.
  var makesViews: Bool { path.hasPrefix("views/") }
}
