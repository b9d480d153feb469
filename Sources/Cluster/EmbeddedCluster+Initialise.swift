internal import FoundationEssentials
internal import Glibc

extension EmbeddedCluster {
  /// Creates the cluster if there is none, and does not start its server.
  ///
  /// - Throws: ``ClusterError``, `CancellationError`.
  package func create() async throws {
    let user = try ServerUser.choose(for: layout.directory)
    try prepareFolders(user)
    _ = try await withLock(user: user) { try await initialiseIfNeeded(user) }
  }

  /// Creates the cluster if there is none.
  ///
  /// - Returns: true if the cluster was created.
  /// - Throws: ``ClusterError``, `CancellationError`.
  func initialiseIfNeeded(_ user: ServerUser) async throws -> Bool {
    if SystemFile.exists("\(layout.data)/PG_VERSION") { return false }
    // An upgrade that was killed between two renames: an empty cluster would look like lost data.
    if let kept = ClusterVersions(self).kept.last {
      throw ClusterError(
        .initialisationFailed,
        "\(layout.data) is missing, and the data of PostgreSQL \(kept.major) are in \(kept.folder)",
        hint: "put them back with `fettle postgres revert --to \(kept.major)`"
      )
    }
    // Left by an interrupted initialisation.
    if SystemFile.exists(layout.unfinishedData) {
      try FileManager.default.removeItem(atPath: layout.unfinishedData)
    }
    unlink(layout.initdbLog)
    var arguments = [
      "-D", layout.unfinishedData, "--username=postgres", "--encoding=UTF8", "--locale=C.UTF-8",
      "--data-checksums", "--auth=trust", "--no-instructions",
    ]
    if !durable { arguments.append("--no-sync") }
    let status = try await Command(
      executable: binaries().initdb,
      arguments: arguments,
      user: user,
      output: layout.initdbLog
    ).run()
    guard status == 0 else {
      let words = SystemFile.text(at: layout.initdbLog)?.split(separator: "\n").suffix(3) ?? []
      throw ClusterError(
        .initialisationFailed,
        "initdb failed with status \(status): \(words.joined(separator: " | "))",
        hint: "read the whole output in \(layout.initdbLog)"
      )
    }
    let files = [
      "postgresql.conf": ServerConfiguration.main, "pg_hba.conf": ServerConfiguration.clientAuthentication,
    ]
    for (name, text) in files {
      try SystemFile.replace("\(layout.unfinishedData)/\(name)", with: text, owner: user)
    }
    guard rename(layout.unfinishedData, layout.data) == 0 else {
      throw ClusterError.system(
        .initialisationFailed,
        "cannot move the new cluster to \(layout.data)",
        errno: errno,
        hint: "move the existing \(layout.data) away"
      )
    }
    if durable { SystemFile.synchronise(directory: layout.directory) }
    return true
  }

  /// Writes `fettle.conf`, whose settings depend on this program's version, the paths and the port.
  func writeConfiguration(_ user: ServerUser) throws(ClusterError) {
    let text = ServerConfiguration(layout: layout, durable: durable).fettle
    try SystemFile.replace("\(layout.data)/fettle.conf", with: text, owner: user)
  }

  /// Returns the programs to run: of the version that created the data, or without data of the newest
  /// version; see ``PostgresBinaries/find(major:environment:root:)``.
  func binaries() throws(ClusterError) -> PostgresBinaries {
    try PostgresBinaries.find(major: ClusterVersions(self).major, environment: environment)
  }
}
