internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// The folder of one temporary cluster. A lock that this process holds until its end marks it as in use.
struct EphemeralFolder: Sendable {
  let home: ClusterHome

  /// Creates a folder, and removes the folders of ended processes.
  static func make() throws -> EphemeralFolder {
    let own = ServerUser(uid: geteuid(), gid: getegid(), name: "\(geteuid())")
    let root = try root()
    // Mode 0711, so that the server's user can enter its folder if this process is root.
    try SystemFile.makeDirectory(root, mode: 0o711, owner: own)
    // Held during cleanup and creation, because a folder without a lock looks abandoned.
    let sweeping = try waitForLock("\(root)/lock", own)
    sweep(root, own)
    let folder = try living.withLock { living in
      living.count += 1
      let home = ClusterHome(directory: "\(root)/\(getpid())-\(living.count)")
      try SystemFile.makeDirectory(home.directory, mode: 0o711, owner: own)
      guard let lock = try FileLock(attempting: "\(home.directory)/in-use", owner: own) else {
        throw ClusterError(.homeUnusable, "\(home.directory) is in use", hint: "try again")
      }
      // Held until the process ends: the kernel releases the lock even after kill -9.
      living.locks[home.directory] = lock.keep()
      if living.count == 1 { atexit { EphemeralFolder.discardAll() } }
      return EphemeralFolder(home: home)
    }
    _ = consume sweeping
    return folder
  }

  /// Stops the server immediately and removes the folder.
  func discard() {
    let lock = Self.living.withLock { $0.locks.removeValue(forKey: home.directory) }
    Self.discard(home.directory)
    if let lock { close(lock) }
  }

  private struct Living {
    var count = 0
    /// The folders in use and the descriptors of their locks.
    var locks: [String: Int32] = [:]
  }

  private static let living = Mutex(Living())

  private static func discardAll() {
    let folders = living.withLock { living in
      defer { living.locks = [:] }
      return living.locks.keys
    }
    for folder in folders { discard(folder) }
  }

  /// Stops the server and removes its folder. Synchronous, because it also runs while the process exits.
  private static func discard(_ folder: String) {
    let cluster = EmbeddedCluster(home: ClusterHome(directory: folder), durable: false)
    if let pid = cluster.serverID {
      kill(pid, SIGQUIT)
      for _ in 0..<1000 where cluster.serverID == pid { usleep(5_000) }
    }
    // The backends of a killed server may still be running.
    if let user = try? ServerUser.choose(for: cluster.directory) {
      for pid in ServerProcesses(layout: cluster.layout, user: user).all() { kill(pid, SIGKILL) }
    }
    if cluster.socketDirectory.hasPrefix("/tmp/") { rmdir(cluster.socketDirectory) }
    // On failure, the next process removes the rest.
    try? FileManager.default.removeItem(atPath: folder)
  }

  private static func sweep(_ root: String, _ own: ServerUser) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    for name in names where name != "lock" {
      let folder = "\(root)/\(name)"
      // If the lock is held, the process of the folder is running.
      guard let abandoned = try? FileLock(attempting: "\(folder)/in-use", owner: own) else { continue }
      discard(folder)
      _ = consume abandoned
    }
  }

  /// Returns the folder of this user's temporary clusters: in `TMPDIR`, or in `/tmp` if the server cannot use
  /// that.
  private static func root() throws -> String {
    let name = "fettle-tests-\(geteuid())"
    let environment = ProcessInfo.processInfo.environment
    if let temporary = environment["TMPDIR"], temporary.hasPrefix("/") {
      let root = ClusterHome(directory: "\(temporary)/\(name)")
      if try root.problem() == nil { return root.directory }
    }
    return "/tmp/\(name)"
  }

  private static func waitForLock(_ path: String, _ own: ServerUser) throws -> FileLock {
    for _ in 0..<12_000 {
      if let lock = try FileLock(attempting: path, owner: own) { return lock }
      usleep(5_000)
    }
    throw ClusterError(
      .timedOut,
      "another process has been holding the lock \(path) for more than a minute",
      hint: "find that process with `fuser -v \(path)`"
    )
  }
}
