internal import Glibc

/// The use of a cluster by one process: a shared lock on a file in the cluster's folder. The last user stops the server.
///
/// The system releases the lock when the process ends, however it ends.
package struct ClusterUse: ~Copyable {
  private let descriptor: Int32

  private init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Begins to use a cluster; creates its folder if it is missing. While another process stops the server as its last
  /// user, this waits.
  ///
  /// - Throws: ``ClusterError`` of kind `homeUnusable`, `CancellationError`.
  package static func begin(_ cluster: EmbeddedCluster) async throws -> ClusterUse {
    let user = try ServerUser.choose(for: cluster.directory)
    try cluster.prepareFolders(user)
    let use = ClusterUse(try open(in: cluster.directory))
    // Polls, because a blocking call would occupy a thread of Swift's concurrency pool.
    while flock(use.descriptor, LOCK_SH | LOCK_NB) != 0 { try await Task.sleep(for: .milliseconds(20)) }
    return use
  }

  /// Returns the exclusive use of a cluster, which keeps others from beginning; nil if a process uses it.
  package static func exclusive(_ cluster: EmbeddedCluster) throws -> ClusterUse? {
    ClusterUse(try open(in: cluster.directory)).ending()
  }

  /// Ends the use, or makes it exclusive if no other process uses the cluster.
  ///
  /// - Returns: the exclusive use, which keeps others from beginning; nil if another process uses the cluster.
  package consuming func ending() -> ClusterUse? {
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
    return self
  }

  private static func open(in folder: String) throws(ClusterError) -> Int32 {
    let path = "\(folder)/use.lock"
    // O_CLOEXEC: programs that this process starts do not use the cluster.
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw .system(
        .homeUnusable,
        "cannot open \(path)",
        errno: errno,
        hint: "check the owner and the mode of the folder"
      )
    }
    return descriptor
  }

  deinit { close(descriptor) }
}
