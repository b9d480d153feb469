/// The SQL and YAML files of the folder `sql/`, embedded so that the program consists of one file.
///
/// The build plugin `EmbedFiles` generates ``all`` from the folder, so a new file needs no entry in the source
/// code.
package enum SQLFiles {
  /// Returns the files in a folder below `sql/` and in its subfolders, ordered by path.
  package static func below(_ folder: String) -> [SQLFile] {
    all.filter { $0.path.hasPrefix(folder + "/") }.sorted { $0.path < $1.path }
  }

  /// Returns the file at a path below `sql/`; nil if there is none.
  package static func at(_ path: String) -> SQLFile? {
    all.first { $0.path == path }
  }

  /// The names of the embedded apps, sorted.
  package static var apps: [String] {
    all.compactMap { file in
      let parts = file.path.split(separator: "/")
      return parts.count == 3 && parts[0] == "apps" && file.path.hasSuffix(".app.yaml")
        ? String(parts[1]) : nil
    }.sorted()
  }
}
