internal import Cluster
internal import CoreCommands
internal import Domain
internal import FoundationEssentials

/// Makes pgBackRest follow an embedded cluster to another version of PostgreSQL.
struct ArchiveUpgrade {
  let backups: BackupFolder
  let cluster: EmbeddedCluster

  /// True if pgBackRest archives the log of the cluster.
  private func isArchived() throws -> Bool {
    guard let settings = try backups.settings(), settings.engine == .pgbackrest else { return false }
    return settings.data == cluster.data
  }

  /// Requires that pgBackRest knows the version of a new cluster, by creating a repository that is removed.
  ///
  /// - Throws: `invalid_input` for a version that it does not know.
  func rehearse(on fresh: EmbeddedCluster) async throws {
    guard try isArchived() else { return }
    let server = try ServerData(fresh)
    let folder = "\(fresh.directory)/rehearsal"
    let tool = try PgBackRest(folder: folder, data: server)
    try tool.configure(.folder(folder), passphrase: "rehearsal", keep: 1)
    try server.makeFolder("\(folder)/database")
    do {
      try await tool.run("stanza-create", ["--no-online"])
    } catch let error as ClusterError where error.kind == .programFailed {
      throw DomainError(
        .invalidInput,
        "pgBackRest cannot archive this version of PostgreSQL: \(error.message)",
        hint:
          "install a later pgbackrest, or move \(backups.path) away, and `fettle backup init --dump --to FOLDER`"
      )
    }
    try FileManager.default.removeItem(atPath: folder)
  }

  /// Tells the repository that the running cluster has another version now. A failure is told: it loses no data, and
  /// `fettle doctor` reports it until archiving works.
  func run() async {
    do {
      guard try isArchived() else { return }
      let tool = try PgBackRest(folder: backups.engineFolder, data: ServerData(running: cluster.data))
      try await tool.run("stanza-upgrade")
      Message.tell(
        "make a backup: `fettle backup run --full`; earlier ones are restored with the earlier PostgreSQL"
      )
    } catch {
      Message.tell("THE LOG IS NOT ARCHIVED: \(error)")
    }
  }
}
