internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// Temporary PostgreSQL clusters for the tests of one process.
///
/// ```swift
/// let cluster = try await EphemeralCluster.shared()    // one per process, created by the first call
/// try await EphemeralCluster.withOwn { cluster in … }  // one to kill, stop and break
/// ```
///
/// Temporary clusters are in `<temporary folder>/fettle-tests-<uid>/<process>-<n>`, run without fsync, and
/// are stopped and removed when the process exits. The next process that creates a temporary cluster removes
/// those of killed processes.
package enum EphemeralCluster {
  /// Returns the cluster shared by all suites of this process. Each test creates its own database in it.
  package static func shared() async throws -> EmbeddedCluster {
    try await sharedCluster.value()
  }

  /// Runs a body with its own cluster, which is started before the body and removed after it.
  ///
  /// - Parameter environment: provides `FETTLE_PG_BIN` and `PATH`.
  package static func withOwn<Result>(
    environment: [String: String] = ProcessInfo.processInfo.environment,
    _ body: (EmbeddedCluster) async throws -> Result
  ) async throws -> Result {
    let folder = try EphemeralFolder.make()
    let cluster = EmbeddedCluster(home: folder.home, durable: false, environment: environment)
    do {
      try await cluster.start()
      let result = try await body(cluster)
      folder.discard()
      return result
    } catch {
      folder.discard()
      throw error
    }
  }

  private static let sharedCluster = SharedCluster()
}

/// Starts the shared cluster once for all suites.
private actor SharedCluster {
  private var starting: Task<EmbeddedCluster, any Error>?

  func value() async throws -> EmbeddedCluster {
    if let starting { return try await starting.value }
    // An unstructured task, so that a cancelled caller does not cancel the start for the others.
    let task = Task {
      let cluster = EmbeddedCluster(home: try EphemeralFolder.make().home, durable: false)
      try await cluster.start()
      return cluster
    }
    starting = task
    return try await task.value
  }
}
