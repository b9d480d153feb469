import Postgres
import Testing

@Suite(.timeLimit(.minutes(60))) struct CancellationTests {
  /// Returns when another connection sees a running statement with that mark.
  func waitUntilRunning(_ mark: String, _ watcher: Database) async throws {
    let pattern = "%\(mark)%"
    while try await watcher.value(
      "select count(*) from pg_stat_activity where state = 'active' and pid <> pg_backend_pid() and query like \(pattern)",
      as: Int.self
    ) == 0 {
      await Task.yield()
    }
  }

  @Test func `cancelling the task interrupts its statement`() async throws {
    try await withDatabase { watcher in
      try await withDatabase({ $0.poolSize = 1 }) { database in
        try await database.execute("create table cancel_one (n int8)")
        let task = Task {
          try await database.transaction { tx in
            try tx.execute("insert into cancel_one values (1)")
            try tx.execute("select pg_sleep(600) /* cancel-one */")
          }
        }
        try await waitUntilRunning("cancel-one", watcher)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await database.value("select count(*) from cancel_one", as: Int.self) == 0)
      }
    }
  }

  @Test func `a cancelled task's body can run no more statements`() async throws {
    try await withDatabase { watcher in
      try await withDatabase { database in
        let task = Task {
          try await database.transaction { tx in
            do { try tx.execute("select pg_sleep(600) /* cancel-more */") } catch let error as PostgresError {
              #expect(error.kind == .cancelled)
            }
            let again = #expect(throws: PostgresError.self) { try tx.execute("select 1") }
            #expect(again?.kind == .cancelled)
          }
        }
        try await waitUntilRunning("cancel-more", watcher)
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
      }
    }
  }

  @Test func `a task that waits for a connection stops waiting when cancelled`() async throws {
    try await withDatabase { watcher in
      try await withDatabase({ $0.poolSize = 1 }) { database in
        let holder = Task { try await database.execute("select pg_sleep(600) /* cancel-hold */") }
        try await waitUntilRunning("cancel-hold", watcher)
        let waiter = Task { try await database.value("select 1", as: Int.self) }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        holder.cancel()
        await #expect(throws: CancellationError.self) { try await holder.value }
        #expect(try await database.value("select 1", as: Int.self) == 1)
      }
    }
  }

  @Test func `a task cancelled beforehand does nothing`() async throws {
    try await withDatabase { database in
      try await database.execute("create table cancel_before (n int8)")
      let gate = AsyncStream<Void>.makeStream()
      let task = Task {
        for await _ in gate.stream {}
        try await database.execute("insert into cancel_before values (1)")
      }
      task.cancel()
      gate.continuation.finish()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(try await database.value("select count(*) from cancel_before", as: Int.self) == 0)
    }
  }

  @Test func `late cancels never strike the statement of the next task`() async throws {
    try await withDatabase({ $0.poolSize = 1 }) { database in
      var struck = 0
      for round in 0..<300 {
        let task = Task { try await database.value("select \(round) from pg_sleep(0.0005)", as: Int.self) }
        // At a different moment each time, often just before the response.
        let canceller = Task {
          for _ in 0..<(round % 100) * 20 { await Task.yield() }
          task.cancel()
        }
        let innocent = Task { try await database.value("select 7 from pg_sleep(0.001)", as: Int.self) }
        _ = await task.result
        if case .failure = await innocent.result { struck += 1 }
        await canceller.value
      }
      #expect(struck == 0)
    }
  }

  @Test func `a copy is interrupted too`() async throws {
    try await withDatabase { watcher in
      try await withDatabase({ $0.poolSize = 1 }) { database in
        try await database.execute("create table cancel_copy (n int8)")
        let task = Task {
          try await database.transaction { tx in
            try tx.copy(into: "cancel_copy", columns: ["n"], as: .text) { copy in
              while true { try copy.write("1\n") }
            }
          }
        }
        try await waitUntilRunning("copy \"cancel_copy\"", watcher)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await database.value("select count(*) from cancel_copy", as: Int.self) == 0)
      }
    }
  }
}
