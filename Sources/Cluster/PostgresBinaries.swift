internal import Glibc

/// The programs of one installed PostgreSQL.
package struct PostgresBinaries: Equatable, Sendable {
  /// Debian's folder of versions.
  package static let root = "/usr/lib/postgresql"

  /// The folder that contains `initdb` and `postgres`.
  package let directory: String

  var initdb: String { path("initdb") }
  var postgres: String { path("postgres") }

  /// Returns the path of a program, such as `pg_dump`.
  package func path(_ program: String) -> String { "\(directory)/\(program)" }

  /// Returns the major version that `postgres` names, such as 15.
  ///
  /// - Throws: ``ClusterError``, also for a program that is not PostgreSQL; `CancellationError`.
  package func major() async throws -> Int {
    let text = try await Tool(postgres).done(["--version"])
    let version = text.split { $0.isWhitespace }.dropFirst(2).first
    guard let major = version.flatMap({ Int($0.prefix { $0.isNumber }) }) else {
      throw ClusterError(
        .binariesMissing,
        "\(postgres) does not name a version: \(text.prefix(80))",
        hint: "name a folder such as \(Self.root)/15/bin"
      )
    }
    return major
  }

  /// Returns the installed major versions below Debian's folder, ascending.
  package static func installed(below root: String = root) -> [Int] { versions(below: root).sorted() }

  /// Returns the programs in the folder `FETTLE_PG_BIN`; if that is not set, those of version `major` or of
  /// the newest version below `root`; if no version is below `root`, the first ones on `PATH`.
  ///
  /// Programs from `FETTLE_PG_BIN` or `PATH` are not checked for their version.
  ///
  /// - Parameters:
  ///   - major: the version that created the data, since no other version can read them; nil without data.
  ///   - environment: provides `FETTLE_PG_BIN` and `PATH`.
  ///   - root: the folder of versions.
  /// - Throws: ``ClusterError`` of kind `binariesMissing`, with the package to install as a hint.
  package static func find(
    major: Int? = nil,
    environment: [String: String],
    root: String = root
  ) throws(ClusterError) -> PostgresBinaries {
    if let chosen = environment["FETTLE_PG_BIN"], !chosen.isEmpty {
      guard isComplete(chosen) else {
        throw ClusterError(
          .binariesMissing,
          "FETTLE_PG_BIN is \(chosen), which does not contain initdb and postgres",
          hint: "set FETTLE_PG_BIN to a folder such as /usr/lib/postgresql/15/bin, or unset it"
        )
      }
      return PostgresBinaries(directory: chosen)
    }
    let installed = versions(below: root)
    if let match = installed.filter({ major == nil || $0 == major }).max() {
      return PostgresBinaries(directory: "\(root)/\(match)/bin")
    }
    // With versions in Debian's folder, PATH is not used, because its version may not fit the data.
    if installed.isEmpty, let found = onPath(environment["PATH"] ?? "") {
      return PostgresBinaries(directory: found)
    }
    if let major {
      throw ClusterError(
        .binariesMissing,
        "the data was created by PostgreSQL \(major), which is not installed",
        hint: "install it with `apt-get install postgresql-\(major)`"
      )
    }
    throw ClusterError(
      .binariesMissing,
      "no PostgreSQL server is installed (searched \(root) and PATH)",
      hint: "run `apt-get install postgresql`, set FETTLE_PG_BIN, or set DATABASE_URL to use another server"
    )
  }

  private static func versions(below root: String) -> [Int] {
    SystemFile.names(in: root).filter { isComplete("\(root)/\($0)/bin") }.compactMap { Int($0) }
  }

  private static func onPath(_ path: String) -> String? {
    for folder in path.split(separator: ":") where folder.hasPrefix("/") {
      // `initdb` may be a link, such as /usr/local/bin/initdb; its target is beside the other programs.
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
