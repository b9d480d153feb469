internal import Cluster
internal import CoreCommands
internal import Domain
internal import FoundationEssentials
internal import Glibc
internal import Postgres
internal import Store

/// Moves the data of the embedded cluster to a newer version of PostgreSQL: by a dump into a new cluster, which takes the
/// place of the old one only after every table was compared.
///
/// Nobody but the superuser reaches either server meanwhile, and the old one is read only. If a step fails, or this
/// process is killed, the old data are in use as before.
struct PostgresUpgrade {
  let origin: PostgresCommand.Origin
  let programs: PostgresBinaries
  /// The version of the programs.
  let new: Int
  let backups: BackupFolder

  private var cluster: EmbeddedCluster { origin.cluster }
  private var old: Int { origin.major }

  /// What was moved.
  struct Outcome {
    /// The number of tables and sequences that were compared.
    let relations: Int
    /// The number of open jobs that were taken over.
    let jobs: Int
    /// The folder of the old data.
    let kept: String
  }

  /// Upgrades.
  ///
  /// - Throws: `wrong_state` if a `fettle up` runs, the data are too large for the disk, or the copy differs;
  ///   ``ClusterError``.
  func run() async throws -> Outcome {
    let versions = ClusterVersions(cluster)
    try versions.requireFree(old)
    let use = try Self.exclusive(cluster)
    // A backup that runs is waited for, since it would fail in the middle.
    let lock = try backups.settings() == nil ? nil : try await SetupLock.take(in: backups.path)
    let wasRunning = cluster.isRunning
    try await versions.removeWorkshop()
    let fresh = try versions.fresh(programs)
    let watches = [try await Self.watch(cluster), try await Self.watch(fresh)]
    let outcome: Outcome
    do {
      Message.tell("creating a cluster of PostgreSQL \(new)")
      try await fresh.create()
      try versions.copySettings(to: fresh)
      try await ArchiveUpgrade(backups: backups, cluster: cluster).rehearse(on: fresh)
      outcome = try await fill(fresh, versions)
    } catch {
      _ = try? await fresh.stop(mode: .immediate)  // the failure is the news
      _ = try? await cluster.stop()
      try? await versions.removeWorkshop(keepsLog: true)
      for watch in watches { watch.dismiss() }
      if wasRunning { _ = try? await cluster.start() }
      Message.tell("the data of PostgreSQL \(old) are in use as before")
      throw error
    }
    try await replace(with: fresh, versions, wasRunning)
    for watch in watches { watch.dismiss() }
    try await versions.removeWorkshop()
    _ = consume lock
    _ = consume use
    return outcome
  }

  /// Copies the data, and returns with both servers stopped.
  private func fill(_ fresh: EmbeddedCluster, _ versions: ClusterVersions) async throws -> Outcome {
    try await cluster.stop()
    var source = cluster
    source.overrides = try versions.closed(to: ["postgres"], isReadOnly: true)
    Message.tell("dumping the data of PostgreSQL \(old)")
    try await source.start()
    let dump = try await PostgresDump.write(source, programs, to: "\(versions.workshop)/dump")
    try await source.stop()
    try await advanceLog(of: fresh)
    Message.tell("filling PostgreSQL \(new)")
    var copy = fresh
    copy.overrides = try Self.overrides(of: fresh)
    try await copy.start()
    try await dump.restore(into: copy, programs)
    Message.tell("comparing every table")
    try await dump.compare(with: copy)
    let jobs = try await dump.adopt(copy)
    try await copy.stop()
    return Outcome(relations: dump.relations, jobs: jobs, kept: "\(cluster.directory)/data.\(old)")
  }

  /// Puts the new data in place, or the old ones back if the new server does not start there.
  private func replace(with fresh: EmbeddedCluster, _ versions: ClusterVersions, _ wasRunning: Bool)
    async throws
  {
    try versions.use(fresh.data)
    let next = EmbeddedCluster(
      home: try ClusterHome.locate(),
      timeLimit: cluster.timeLimit,
      environment: ["FETTLE_PG_BIN": programs.directory]
    )
    do {
      try await next.start()
    } catch {
      _ = try? await next.stop(mode: .immediate)  // the failure is the news
      try FileManager.default.moveItem(atPath: cluster.data, toPath: fresh.data)
      try versions.use("\(cluster.directory)/data.\(old)")
      if wasRunning { _ = try? await cluster.start() }
      Message.tell("the data of PostgreSQL \(old) are in use as before")
      throw error
    }
    await ArchiveUpgrade(backups: backups, cluster: cluster).run()
    if !wasRunning { try await next.stop() }
  }

  /// Takes the use of a cluster that no other process uses.
  static func exclusive(_ cluster: EmbeddedCluster) throws -> ClusterUse {
    if let use = try ClusterUse.exclusive(cluster) { return use }
    throw DomainError(
      .wrongState,
      "a `fettle up` uses this PostgreSQL",
      hint: "stop it, and run the command again"
    )
  }

  /// Stops a server if this process dies.
  static func watch(_ cluster: EmbeddedCluster) async throws -> EndWatch {
    let path = realpath("/proc/self/exe", nil)
    defer { free(path) }
    let program = path.map { String(cString: $0) } ?? CommandLine.arguments[0]
    let home = cluster.directory.dropLast("/postgres".count)
    return try await EndWatch.begin(
      [program, "down", "--unless-used"],
      variables: ["FETTLE_HOME=\(home)"]
    )
  }

  /// Settings with which the new server is reached by its own socket only, and archives nothing.
  private static func overrides(of fresh: EmbeddedCluster) throws -> [String: String] {
    try ClusterVersions(fresh).closed(to: ["all"], isReadOnly: false).merging([
      "port": "\(fresh.port)", "unix_socket_directories": fresh.socketDirectory,
      "unix_socket_permissions": "0700", "archive_mode": "off", "ssl": "off",
    ]) { $1 }
  }

  /// Begins the log of the new cluster after the end of the old one, so that no process takes the copy for an older
  /// state, and the epoch goes on.
  private func advanceLog(of fresh: EmbeddedCluster) async throws {
    let told = try await ServerData(cluster).tool(origin.programs.path("pg_resetwal"))
      .done(["--dry-run", cluster.data])
    let line = told.split(separator: "\n").first { $0.hasPrefix("First log segment after reset:") }
    guard let name = line?.split(separator: " ").last, name.count == 24 else {
      throw DomainError(.unavailable, "pg_resetwal does not name the end of the log")
    }
    // The new cluster has the first timeline.
    let segment = "00000001" + name.suffix(16)
    try await ServerData(fresh).tool(programs.path("pg_resetwal")).done(["-l", segment, fresh.data])
  }
}
