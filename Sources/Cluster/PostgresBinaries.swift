internal import Glibc

/// The programs of one installed PostgreSQL.
package struct PostgresBinaries: Equatable, Sendable {
  /// The folder that holds `initdb` and `postgres`.
  package let directory: String

  var initdb: String { "\(directory)/initdb" }
  var postgres: String { "\(directory)/postgres" }

  /// Finds a PostgreSQL: the folder in `FETTLE_PG_BIN`, else the newest one below `root`, else the first on
  /// `PATH`.
  ///
  /// - Parameters:
  ///   - major: the version that created the data, if there is data: no other version can read it.
  ///   - environment: provides `FETTLE_PG_BIN` and `PATH`.
  ///   - root: Debian's folder of versions.
  /// - Returns: programs of one version.
  /// - Throws: ``ClusterError`` of kind `binariesMissing`, with the package to install.
  package static func find(
    major: Int? = nil,
    environment: [String: String],
    root: String = "/usr/lib/postgresql"
  ) throws(ClusterError) -> PostgresBinaries {
    if let chosen = environment["FETTLE_PG_BIN"], !chosen.isEmpty {
      guard isComplete(chosen) else {
        throw ClusterError(
          .binariesMissing,
          "FETTLE_PG_BIN is \(chosen), which has no initdb and postgres",
          hint: "set it to a folder such as /usr/lib/postgresql/15/bin, or unset it"
        )
      }
      return PostgresBinaries(directory: chosen)
    }
    let installed = versions(below: root)
    if let match = installed.filter({ major == nil || $0 == major }).max() {
      return PostgresBinaries(directory: "\(root)/\(match)/bin")
    }
    // PATH is used only if Debian's folder has no version: data can be read by its own version only.
    if installed.isEmpty, let found = onPath(environment["PATH"] ?? "") {
      return PostgresBinaries(directory: found)
    }
    if let major {
      throw ClusterError(
        .binariesMissing,
        "the data was created by PostgreSQL \(major), which is not installed",
        hint: "`apt-get install postgresql-\(major)`"
      )
    }
    throw ClusterError(
      .binariesMissing,
      "no PostgreSQL server is installed (looked in \(root) and PATH)",
      hint: "`apt-get install postgresql`, set FETTLE_PG_BIN, or set DATABASE_URL to use a server elsewhere"
    )
  }

  private static func versions(below root: String) -> [Int] {
    SystemFile.names(in: root).filter { isComplete("\(root)/\($0)/bin") }.compactMap { Int($0) }
  }

  private static func onPath(_ path: String) -> String? {
    for folder in path.split(separator: ":") where folder.hasPrefix("/") {
      // A link such as /usr/local/bin/initdb: its target is in the folder of the other programs.
      let initdb = SystemFile.canonical("\(folder)/initdb")
      let directory = SystemFile.parent(of: initdb)
      if isComplete(directory) { return directory }
    }
    return nil
  }

  private static func isComplete(_ directory: String) -> Bool {
    access("\(directory)/initdb", X_OK) == 0 && access("\(directory)/postgres", X_OK) == 0
  }
}
