import Glibc
import Testing

@testable import Cluster

@Suite(.timeLimit(.minutes(60))) struct EphemeralClusterTests {
  @Test func `all suites of a process share one server`() async throws {
    let servers = try await withThrowingTaskGroup(of: Int32?.self) { group in
      for _ in 0..<8 { group.addTask { try await EphemeralCluster.shared().serverID } }
      return try await group.reduce(into: Set<Int32?>()) { $0.insert($1) }
    }
    #expect(servers.count == 1)
    #expect(!servers.contains(nil))
  }

  @Test func `a private cluster is separate and removed afterwards`() async throws {
    let shared = try await EphemeralCluster.shared()
    let own = try await EphemeralCluster.withOwn { cluster in
      #expect(cluster.serverID != shared.serverID)
      return cluster
    }
    #expect(!SystemFile.exists(own.directory))
    #expect(shared.isRunning)
  }

  @Test func `the statement of a killed client is cancelled`() async throws {
    let psql = Psql(cluster: try await EphemeralCluster.shared())
    let running = "select count(*) from pg_stat_activity where query = 'select pg_sleep(4711)'"
    let program = try psql.background("select pg_sleep(4711)")
    while try await psql(running) == "0" { try await Task.sleep(for: .milliseconds(100)) }
    kill(program, SIGKILL)
    waitpid(program, nil, 0)
    while try await psql(running) != "0" { try await Task.sleep(for: .milliseconds(500)) }
  }

  // The child processes have a temporary folder of their own, which no other test cleans up.

  @Test func `the next process removes the remains of a killed one`() async throws {
    try await withHome { home in
      await #expect(processExitsWith: .signal(SIGKILL)) { [path = home.directory as String] in
        setenv("TMPDIR", path, 1)
        _ = try await EphemeralCluster.shared()
        kill(getpid(), SIGKILL)
      }
      #expect(folders(in: home).count == 1)
      await #expect(processExitsWith: .success) { [path = home.directory as String] in
        setenv("TMPDIR", path, 1)
        try EphemeralFolder.make().discard()
      }
      #expect(folders(in: home) == [])
    }
  }

  @Test func `a normal exit removes the cluster`() async throws {
    try await withHome { home in
      await #expect(processExitsWith: .exitCode(3)) { [path = home.directory as String] in
        setenv("TMPDIR", path, 1)
        let cluster = try await EphemeralCluster.shared()
        exit(cluster.directory.hasPrefix(path) && cluster.isRunning ? 3 : 4)
      }
      #expect(folders(in: home) == [])
    }
  }

  /// The clusters left by the child processes.
  private func folders(in home: ClusterHome) -> [String] {
    SystemFile.names(in: "\(home.directory)/fettle-tests-\(geteuid())").filter {
      !$0.hasPrefix(".") && $0 != "lock"
    }
  }
}
