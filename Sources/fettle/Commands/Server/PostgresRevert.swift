internal import Cluster
internal import CoreCommands
internal import Domain
internal import Engine
internal import Files
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Puts the data of before an upgrade in use again. Those that were in use are kept.
struct PostgresRevert {
  /// The cluster with the programs of the kept data.
  let origin: PostgresCommand.Origin
  let kept: ClusterVersions.Kept
  let store: any BlobStore

  /// Reverts, and returns the companies and people that were erased again.
  ///
  /// - Throws: `wrong_state` if a `fettle up` runs; ``ClusterError``. The data that were in use are in use then.
  func run() async throws -> ErasureReplay.Outcome {
    let cluster = origin.cluster
    let versions = ClusterVersions(cluster)
    let current = versions.major
    if let current { try versions.requireFree(current) }
    let use = try PostgresUpgrade.exclusive(cluster)
    let wasRunning = cluster.isRunning
    try await versions.removeWorkshop()
    try await cluster.stop()
    let watch = try await PostgresUpgrade.watch(cluster)
    try versions.use(kept.folder)
    let erased: ErasureReplay.Outcome
    do {
      erased = try await prepare(versions)
      try await cluster.stop()
    } catch {
      _ = try? await cluster.stop(mode: .immediate)  // the failure is the news
      if let current { try versions.use("\(cluster.directory)/data.\(current)") }
      watch.dismiss()
      throw error
    }
    try await versions.removeWorkshop()
    try await cluster.start()
    await ArchiveUpgrade(backups: try BackupFolder.ofInstallation(), cluster: cluster).run()
    if !wasRunning { try await cluster.stop() }
    watch.dismiss()
    _ = consume use
    return erased
  }

  /// Begins a new epoch, and erases again what was erased since, before anybody else can connect.
  private func prepare(_ versions: ClusterVersions) async throws -> ErasureReplay.Outcome {
    let admin = ConnectionOptions.Login.admin.rawValue
    var closed = origin.cluster
    closed.overrides = try versions.closed(to: ["postgres", admin], isReadOnly: false)
    try await closed.start()
    // Versions and positions are used again for other changes.
    try await ServerData(closed).psql(["select core.begin_epoch()"], database: "fettle")
    let ledger = try KeyLocation.ledger()
    let entries = try ledger.read()
    guard !entries.isEmpty else { return ErasureReplay.Outcome() }
    return try await closed.with("fettle", user: admin) { database in
      try await ErasureReplay(database, store, ledger, actor: .operator(Operator.name)).run(entries)
    }
  }
}
