import FoundationEssentials
import Postgres
import Testing

@Suite(.timeLimit(.minutes(60))) struct DatabaseTests {
  struct Refused: Error {}

  @Test func `a hook can refuse new connections`() async throws {
    try await withDatabase({
      $0.onConnect = { session in
        if try session.value("select current_setting('is_superuser') = 'on'", as: Bool.self) {
          throw Refused()
        }
      }
    }) { database in
      await #expect(throws: Refused.self) { try await database.execute("select 1") }
      await #expect(throws: Refused.self) { try await database.session { _ in } }
      await #expect(throws: Refused.self) { try await database.transaction { _ in } }
    }
  }

  @Test func `session settings end with the session`() async throws {
    try await withDatabase { database in
      try await database.session { session in
        try session.execute("select pg_advisory_lock(815)")
        try session.execute("set application_name = 'mine'")
        #expect(throws: PostgresError.self) {
          try session.transaction { tx in
            try tx.execute("select 1")
            try session.execute("select 2")
          }
        }
        #expect(try session.value("select 3", as: Int.self) == 3)
      }
      try await database.session { session in
        // A connection that is closed gives its locks up a moment later.
        try session.execute("set lock_timeout = '1min'")
        try session.execute("select pg_advisory_lock(815)")
      }
    }
  }

  @Test func `a transaction without statements sends nothing`() async throws {
    let nowhere = Database(.init(parameters: ["host": "/nonexistent"]))
    let failure = await #expect(throws: PostgresError.self) { try await nowhere.transaction { _ in } }
    #expect(failure?.kind == .connection)
    await nowhere.close()
  }

  @Test func `waiting for a connection ends at the deadline`() async throws {
    try await withDatabase({
      $0.poolSize = 1
      $0.leaseTimeout = .milliseconds(50)
    }) { database in
      let (started, signal) = AsyncStream<Void>.makeStream()
      let holder = Task {
        try await database.transaction { tx in
          try tx.execute("select 1")
          signal.finish()
          try tx.execute("select pg_sleep(600)")
        }
      }
      for await _ in started {}
      let failure = await #expect(throws: PostgresError.self) { try await database.execute("select 1") }
      #expect(failure?.kind == .poolTimeout)
      holder.cancel()
      await #expect(throws: CancellationError.self) { try await holder.value }
    }
  }

  @Test func `a key has its share of the pool and leaves the rest to others`() async throws {
    try await withDatabase({
      $0.poolSize = 2
      $0.maxPerKey = 1
      $0.leaseTimeout = .milliseconds(50)
    }) { database in
      let key = TransactionOptions(poolKey: UUID())
      let (started, signal) = AsyncStream<Void>.makeStream()
      let holder = Task {
        try await database.transaction(key) { tx in
          try tx.execute("select 1")
          signal.finish()
          try tx.execute("select pg_sleep(600)")
        }
      }
      for await _ in started {}
      let failure = await #expect(throws: PostgresError.self) {
        try await database.transaction(key) { tx in try tx.execute("select 1") }
      }
      #expect(failure?.kind == .poolTimeout)
      let one = try await database.value("select 1", as: Int.self)
      #expect(one == 1)
      holder.cancel()
      await #expect(throws: CancellationError.self) { try await holder.value }
    }
  }

  @Test func `many tasks share few connections`() async throws {
    try await withDatabase({ $0.poolSize = 3 }) { database in
      let sum = try await withThrowingTaskGroup(of: Int.self) { group in
        for n in 1...500 {
          group.addTask { try await database.transaction { tx in try tx.value("select \(n)", as: Int.self) } }
        }
        return try await group.reduce(0, +)
      }
      #expect(sum == 500 * 501 / 2)
    }
  }

  @Test func `a closed database waits for connections in use and refuses new requests`() async throws {
    try await withDatabase { database in
      let (started, signal) = AsyncStream<Void>.makeStream()
      let worker = Task {
        try await database.transaction { tx in
          try tx.execute("select 1")
          signal.finish()
          return try tx.value("select 5 from pg_sleep(0.05)", as: Int.self)
        }
      }
      for await _ in started {}
      await database.close()
      let five = try await worker.value
      #expect(five == 5)
      let failure = await #expect(throws: PostgresError.self) { try await database.execute("select 1") }
      #expect(failure?.kind == .closed)
    }
  }

  @Test func `closing the database closes every connection`() async throws {
    try await withDatabase { watcher in
      let database = Database(
        .init(parameters: try PrivateServer.shared.get().parameters, applicationName: "closed-all")
      )
      var events = database.listen(["closed"]).makeAsyncIterator()
      #expect(await events.next() == .resynchronise)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 { group.addTask { try await database.execute("select pg_sleep(0.02)") } }
        try await group.waitForAll()
      }
      let sql: SQL = "select count(*) from pg_stat_activity where application_name = 'closed-all'"
      #expect(try await watcher.value(sql, as: Int.self) > 1)
      await database.close()
      // The server processes need a moment to end; this process no longer holds connections.
      while try await watcher.value(sql, as: Int.self) > 0 { await Task.yield() }
    }
  }

  @Test func `a URL and its parts are understood as psql does`() async throws {
    let server = try PrivateServer.shared.get()
    let url = "postgresql://postgres@/postgres?host=\(server.folder)/socket&application_name=from-url"
    let database = Database(.init(parameters: ["dbname": url]))
    #expect(
      try await database.value("select current_setting('application_name')", as: String.self) == "from-url"
    )
    #expect(try await database.value("show client_encoding", as: String.self) == "UTF8")
    await database.close()
  }
}
