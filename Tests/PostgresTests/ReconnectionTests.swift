import Postgres
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(60))) struct ReconnectionTests {
  @Test func `after a server restart idle connections are replaced unnoticed`() async throws {
    let server = try PrivateServer()
    defer { server.discard() }
    try await withDatabase({ $0.poolSize = 3 }, on: server) { database in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<3 { group.addTask { try await database.execute("select pg_sleep(0.05)") } }
        try await group.waitForAll()
      }
      try server.stop()
      let failure = await #expect(throws: PostgresError.self) { try await database.execute("select 1") }
      #expect(failure?.kind == .connection)
      #expect(failure?.isTransient == true)
      try server.start()
      for number in 0..<4 {
        #expect(
          try await database.transaction { tx in try tx.value("select \(number)", as: Int.self) } == number
        )
        #expect(try await database.value("select \(number)", as: Int.self) == number)
      }
    }
  }

  @Test func `a connection that breaks before the first response is replaced and the body repeated`()
    async throws
  {
    try await withDatabase { killer in
      try await withDatabase({
        $0.poolSize = 1
        $0.applicationName = "reconnect-first"
      }) { database in
        let pid = try await database.value("select pg_backend_pid()", as: Int.self)
        let runs = Atomic<Int>(0)
        let terminate: @Sendable () throws -> Void = { try Self.terminate(pid) }
        let one = try await database.transaction { tx in
          if runs.add(1, ordering: .relaxed).newValue == 1 { try terminate() }
          return try tx.value("select 1", as: Int.self)
        }
        #expect(one == 1)
        #expect(runs.load(ordering: .relaxed) == 2)
      }
    }
  }

  @Test func `a connection that breaks later fails its own transaction only`() async throws {
    try await withDatabase({ $0.poolSize = 1 }) { database in
      let failure = await #expect(throws: PostgresError.self) {
        try await database.transaction { tx in
          try Self.terminate(try tx.value("select pg_backend_pid()", as: Int.self))
          try tx.execute("select 1")
        }
      }
      #expect(failure?.kind == .connection)
      #expect(failure?.sqlState == .adminShutdown)
      let one = try await database.value("select 1", as: Int.self)
      #expect(one == 1)
    }
  }

  @Test func `single statements are transactions of their own, and one with a response is not repeated`()
    async throws
  {
    try await withDatabase({ $0.poolSize = 1 }) { database in
      try await database.execute("create table turn (n integer)")
      let runs = Atomic<Int>(0)
      let failure = await #expect(throws: PostgresError.self) {
        try await database.statements { session in
          runs.add(1, ordering: .relaxed)
          try session.execute("insert into turn values (1)")
          try Self.terminate(try session.value("select pg_backend_pid()", as: Int.self))
          try session.execute("insert into turn values (2)")
        }
      }
      #expect(failure?.isTransient == true)
      #expect(runs.load(ordering: .relaxed) == 1)
      #expect(try await database.rows("select n from turn", Int.self) == [1])
    }
  }

  /// Terminates a server process. Returns when it is gone.
  static func terminate(_ pid: Int) throws {
    let server = try PrivateServer.shared.get()
    try PrivateServer.run([
      "\(PrivateServer.binaries)/psql", "-X", "-h", "\(server.folder)/socket", "-U", "postgres", "-c",
      "select pg_terminate_backend(\(pid), 10000)", "postgres",
    ])
  }
}
