import Glibc
import Testing

@testable import Cluster

@Suite(.timeLimit(.minutes(60))) struct EmbeddedClusterTests {
  @Test func `the first start creates, the second adopts, one after a stop starts`() async throws {
    try await withHome { home in
      let cluster = EmbeddedCluster(home: home, durable: false)
      #expect(!cluster.isRunning)
      #expect(try await cluster.start() == .created)
      #expect(cluster.isRunning)
      let first = try #require(cluster.serverID)
      #expect(try await EmbeddedCluster(home: home, durable: false).start() == .adopted)
      #expect(cluster.serverID == first)

      #expect(try await cluster.stop())
      #expect(!cluster.isRunning)
      #expect(cluster.serverID == nil)
      #expect(try await cluster.stop() == false)
      #expect(try await cluster.start() == .started)
    }
  }

  @Test func `the data is durable, checked and in UTF-8, and there is no network listener`() async throws {
    try await withHome { home in
      let cluster = EmbeddedCluster(home: home)
      try await cluster.start()
      let settings = try await Psql(cluster: cluster)(
        """
        select string_agg(name || '=' || setting, ' ' order by name) from pg_settings where name in
          ('data_checksums', 'fsync', 'full_page_writes', 'listen_addresses', 'lc_collate',
           'server_encoding', 'synchronous_commit', 'TimeZone')
        """
      )
      #expect(
        settings == """
          TimeZone=UTC data_checksums=on fsync=on full_page_writes=on lc_collate=C.UTF-8 \
          listen_addresses= server_encoding=UTF8 synchronous_commit=on
          """
      )
      #expect(SystemFile.status(of: cluster.socketDirectory).map { $0.st_mode & 0o7777 } == 0o700)
    }
  }

  @Test func `a loopback port is opened by a start that asks for it, and closed by the next that does not`()
    async throws
  {
    try await withHome { home in
      // A high port derived from this process, so that two concurrent runs do not collide.
      let port = 40_000 + Int(getpid()) % 20_000
      let open = try await EmbeddedCluster(home: home, durable: false).listening(on: port)
      try await open.start()
      #expect(open.tcpPort == port && open.port == 5432, "the socket keeps its number")
      let setting = "select current_setting('listen_addresses') || ':' || current_setting('port')"
      #expect(try await Psql(cluster: open)(setting) == "127.0.0.1:\(port)")
      // Every other process finds it, and none opens another port on a running server.
      let other = EmbeddedCluster(home: home, durable: false)
      #expect(other.isRunning && other.tcpPort == port)
      #expect(try await other.listening(on: nil).tcpPort == port)
      await #expect(throws: ClusterError.self) { try await other.listening(on: port + 1) }
      try await open.stop()

      let closed = try await other.listening(on: nil)
      try await closed.start()
      #expect(closed.tcpPort == nil)
      #expect(try await Psql(cluster: closed)(setting) == ":5432")
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can become somebody else"))
  func `root may connect, another user may not`() async throws {
    try await EphemeralCluster.withOwn { cluster in
      let psql = Psql(cluster: cluster)
      let root = ServerUser(uid: 0, gid: 0, name: "root")
      #expect(try await psql.run("select current_user", user: root).output == "postgres")
      let stranger = ServerUser(uid: 54_321, gid: 54_321, name: "stranger")
      let refused = try await psql.run("select current_user", user: stranger)
      #expect(refused.status == 2)
      #expect(refused.output.contains("Permission denied"))
    }
  }

  @Test func `many starts at once create one cluster and start one server`() async throws {
    try await withHome { home in
      let starts = try await withThrowingTaskGroup(of: EmbeddedCluster.Start.self) { group in
        for _ in 0..<8 {
          // Long enough for a busy machine.
          group.addTask {
            try await EmbeddedCluster(home: home, durable: false, timeLimit: .seconds(600)).start()
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(starts.filter { $0 == .created }.count == 1)
      #expect(starts.filter { $0 == .adopted }.count == 7)
    }
  }

  @Test func `a start during a stop waits for the end and starts again`() async throws {
    try await EphemeralCluster.withOwn { cluster in
      let first = try #require(cluster.serverID)
      kill(first, SIGINT)
      try await cluster.start()
      // Either the old server still answered, or a new one is running by now.
      let gone = try await poll(for: .seconds(20)) { cluster.serverID == first ? nil : true }
      #expect(gone == true)
      try await cluster.start()
      #expect(cluster.isRunning)
      #expect(cluster.serverID != first)
    }
  }

  @Test func `a long path puts the socket in a private folder of its own`() async throws {
    try await withHome { home in
      let deep = home.directory + "/" + String(repeating: "a rather long name ", count: 6)
      let cluster = EmbeddedCluster(home: ClusterHome(directory: deep), durable: false)
      #expect(cluster.socketDirectory.hasPrefix("/tmp/fettle-"))
      defer { rmdir(cluster.socketDirectory) }
      try await cluster.start()
      let folder = try #require(SystemFile.status(of: cluster.socketDirectory))
      #expect(folder.st_mode & 0o7777 == 0o700)
      #expect(try await Psql(cluster: cluster)("select 1") == "1")
      try await cluster.stop(mode: .immediate)
    }
  }

  @Test func `a file where the folder should be is refused`() async throws {
    try await withHome { home in
      let user = try ServerUser.choose(for: home.directory)
      try SystemFile.replace("\(home.directory)/postgres", with: "in the way", owner: user)
      let error = await #expect(throws: ClusterError.self) {
        try await EmbeddedCluster(home: home, durable: false).start()
      }
      #expect(error?.kind == .homeUnusable)
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can make a stranger's folder"))
  func `a stranger's folder in the socket's place is refused`() async throws {
    try await withHome { home in
      let cluster = EmbeddedCluster(home: home, durable: false)
      let user = try ServerUser.choose(for: home.directory)
      let stranger = ServerUser(uid: 54_321, gid: 54_321, name: "stranger")
      try SystemFile.makeDirectory(cluster.directory, mode: 0o700, owner: user)
      try SystemFile.makeDirectory(cluster.socketDirectory, mode: 0o777, owner: stranger)
      let error = await #expect(throws: ClusterError.self) { try await cluster.start() }
      #expect(error?.kind == .belongsToAnother)
    }
  }

  @Test func `data readable by others is refused with PostgreSQL's message`() async throws {
    try await EphemeralCluster.withOwn { cluster in
      try await cluster.stop()
      chmod(cluster.layout.data, 0o777)
      let error = await #expect(throws: ClusterError.self) { try await cluster.start() }
      #expect(error?.kind == .startFailed)
      #expect(error?.message.contains("invalid permissions") == true)
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root runs the server as somebody else"))
  func `root cannot put the data where the server's user may not go`() async throws {
    try await withHome { home in
      let closed = "\(home.directory)/closed"
      mkdir(closed, 0o700)
      let error = await #expect(throws: ClusterError.self) {
        try await EmbeddedCluster(home: ClusterHome(directory: "\(closed)/here"), durable: false).start()
      }
      #expect(error?.kind == .homeUnusable)
      #expect(error?.message.contains(closed) == true)
    }
  }

  @Test func `the operator's settings override Fettle's and survive a start`() async throws {
    try await EphemeralCluster.withOwn { cluster in
      try await cluster.stop()
      let path = "\(cluster.layout.data)/postgresql.conf"
      let text = try #require(SystemFile.text(at: path)) + "work_mem = 17MB\nmax_connections = 41\n"
      try SystemFile.replace(path, with: text, owner: ServerUser.choose(for: cluster.directory))
      try await cluster.start()
      #expect(try await Psql(cluster: cluster)("show work_mem") == "17MB")
      #expect(try await Psql(cluster: cluster)("show max_connections") == "41")
    }
  }
}
