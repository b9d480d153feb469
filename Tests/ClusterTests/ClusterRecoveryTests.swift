import Glibc
import Testing

@testable import Cluster

@Suite(.timeLimit(.minutes(60))) struct ClusterRecoveryTests {
  @Test func `a killed server is started again with everything that was committed`() async throws {
    try await EphemeralCluster.withOwn { cluster in
      let psql = Psql(cluster: cluster)
      _ = try await psql("create table kept as select generate_series(1, 1000) as n")
      let killed = try #require(cluster.serverID)
      kill(killed, SIGKILL)
      #expect(try await cluster.start() == .started)
      #expect(cluster.serverID != killed)
      #expect(try await psql("select count(*) from kept") == "1000")
    }
  }

  @Test func `a backend that outlives its killed server is ended before the next starts`() async throws {
    try await EphemeralCluster.withOwn { cluster in
      let user = try ServerUser.choose(for: cluster.directory)
      let processes = ServerProcesses(layout: cluster.layout, user: user)
      // A loop that never waits does not notice that its server is gone.
      let client = try Psql(cluster: cluster).background("do $$ begin loop end loop; end $$")
      defer {
        kill(client, SIGKILL)
        waitpid(client, nil, 0)
      }
      let busy = try await poll(for: .seconds(30)) { () -> Int32? in
        processes.all().first { pid in
          SystemFile.text(at: "/proc/\(pid)/cmdline")?.contains("[local] DO") == true
        }
      }
      let backend = try #require(busy)
      kill(try #require(cluster.serverID), SIGKILL)
      try await cluster.start()
      #expect(!processes.all().contains(backend))
      #expect(try await Psql(cluster: cluster)("select 1") == "1")
    }
  }

  @Test func `a stale pid file with the id of another live process does not prevent the start`()
    async throws
  {
    try await EphemeralCluster.withOwn { cluster in
      let user = try ServerUser.choose(for: cluster.directory)
      kill(try #require(cluster.serverID), SIGKILL)
      let layout = cluster.layout
      try #require(try await poll(for: .seconds(20)) { cluster.serverID == nil ? true : nil } == true)
      // As after a reboot, when the id belongs to another process of the same user.
      let stranger = try Command(
        executable: "/bin/sleep",
        arguments: ["600"],
        user: user,
        output: "/dev/null"
      ).spawn()
      defer {
        kill(stranger, SIGKILL)
        waitpid(stranger, nil, 0)
      }
      for path in [layout.postmasterFile, "\(layout.socket).lock"] {
        let lines = try #require(SystemFile.text(at: path)).split(
          separator: "\n",
          maxSplits: 1,
          omittingEmptySubsequences: false
        )
        try SystemFile.replace(path, with: "\(stranger)\n\(lines[1])", owner: user)
      }
      #expect(try await cluster.start() == .started)
    }
  }

  @Test func `the server outlives the process that started it`() async throws {
    try await withHome { home in
      await #expect(processExitsWith: .signal(SIGKILL)) { [path = home.directory as String] in
        try await EmbeddedCluster(home: ClusterHome(directory: path), durable: false).start()
        kill(getpid(), SIGKILL)
      }
      let found = try await EmbeddedCluster(home: home, durable: false).start()
      #expect(found == .adopted)
      // Ctrl-C reaches all processes of the terminal's session; the server has its own session.
      let server = try #require(EmbeddedCluster(home: home).serverID)
      #expect(getsid(server) == server)
    }
  }

  @Test func `an interrupted initdb is repeated`() async throws {
    try await withHome { home in
      let cluster = EmbeddedCluster(home: home, durable: false)
      let user = try ServerUser.choose(for: cluster.directory)
      try SystemFile.makeDirectory(cluster.directory, mode: 0o700, owner: user)
      try SystemFile.makeDirectory(cluster.layout.unfinishedData, mode: 0o700, owner: user)
      try SystemFile.replace("\(cluster.layout.unfinishedData)/PG_VERSION", with: "15\n", owner: user)
      #expect(try await cluster.start() == .created)
    }
  }

  @Test func `data of a version that is not installed is not touched`() async throws {
    try await EphemeralCluster.withOwn { cluster in
      try await cluster.stop()
      let user = try ServerUser.choose(for: cluster.directory)
      try SystemFile.replace("\(cluster.layout.data)/PG_VERSION", with: "9\n", owner: user)
      let error = await #expect(throws: ClusterError.self) { try await cluster.start() }
      #expect(error?.kind == .binariesMissing)
      #expect(error?.hint.contains("postgresql-9") == true)
    }
  }

  @Test func `a setting that the server refuses is quoted from its log`() async throws {
    try await EphemeralCluster.withOwn { cluster in
      try await cluster.stop()
      let path = "\(cluster.layout.data)/postgresql.conf"
      let text = try #require(SystemFile.text(at: path)) + "work_mem = 'much'\n"
      try SystemFile.replace(path, with: text, owner: ServerUser.choose(for: cluster.directory))
      let error = await #expect(throws: ClusterError.self) { try await cluster.start() }
      #expect(error?.kind == .startFailed)
      #expect(error?.message.contains("work_mem") == true)
    }
  }
}
