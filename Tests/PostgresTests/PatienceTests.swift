import Glibc
import Synchronization
import TestDatabase
import Testing

@testable import Postgres

/// Connections that stay open and over which nothing comes any more.
@Suite(.timeLimit(.minutes(30))) struct PatienceTests {
  func withProxy(_ body: (Proxy, Database) async throws -> Void) async throws {
    let proxy = try Proxy(to: try PrivateServer.shared.get().socket)
    defer { proxy.stop() }
    try await withDatabase({
      $0.parameters = proxied(proxy)
      $0.parameters["connect_timeout"] = "2"
      // Longer than a busy machine keeps an answer on its way.
      $0.patience = .seconds(5)
      $0.resolveTimeout = .milliseconds(300)
    }) { database in try await body(proxy, database) }
  }

  @Test func `a silent connection is given up, and those that lie idle beside it are replaced`()
    async throws
  {
    try await withProxy { proxy, database in
      // All three of the pool.
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<3 { group.addTask { try await database.execute("select pg_sleep(0.2)") } }
        try await group.waitForAll()
      }
      proxy.freezeOpenConnections()
      let failure = await #expect(throws: PostgresError.self) { try await database.execute("select 1") }
      #expect(failure?.kind == .unknownOutcome)
      #expect(failure?.message.contains("no answer came in") == true)
      for number in 0..<4 { #expect(try await database.value("select \(number)", as: Int.self) == number) }
    }
  }

  @Test func `a transaction that has had no answer is run again, unnoticed`() async throws {
    try await withProxy { proxy, database in
      #expect(try await database.value("select 1", as: Int.self) == 1)
      proxy.freezeOpenConnections()
      let runs = Atomic<Int>(0)
      let one = try await database.transaction { tx in
        runs.add(1, ordering: .relaxed)
        return try tx.value("select 1", as: Int.self)
      }
      #expect(one == 1)
      #expect(runs.load(ordering: .relaxed) == 2)
    }
  }

  @Test func `a statement may take many times as long as anybody is patient`() async throws {
    try await withProxy { _, database in
      let slept = try await database.transaction { tx in
        try tx.value("select pg_sleep(15)::text || 'slept'", as: String.self)
      }
      #expect(slept == "slept")
    }
  }

  @Test func `a commit into the silence has an unknown outcome`() async throws {
    try await withProxy { proxy, database in
      let failure = await #expect(throws: PostgresError.self) {
        try await database.transaction(TransactionOptions(resolvesLostCommit: true)) { tx in
          try tx.execute("create table if not exists patience_lost (n int8)")
          proxy.freezeOpenConnections()
        }
      }
      #expect(failure?.kind == .unknownOutcome)
    }
  }

  @Test func `work goes on when a silent proxy lets new connections through`() async throws {
    try await withProxy { proxy, database in
      #expect(try await database.value("select 1", as: Int.self) == 1)
      proxy.goSilent()
      async let answer = database.transaction { tx in try tx.value("select 2", as: Int.self) }
      // Long enough that nobody could be asked at first.
      try await Task.sleep(for: .seconds(6))
      proxy.freezeOpenConnections()
      #expect(try await answer == 2)
    }
  }

  @Test func `a task that is cancelled does not wait for a silent proxy`() async throws {
    try await withProxy { proxy, database in
      #expect(try await database.value("select 1", as: Int.self) == 1)
      proxy.goSilent()
      let task = Task { try await database.transaction { tx in try tx.value("select 2", as: Int.self) } }
      try await Task.sleep(for: .milliseconds(50))
      task.cancel()
      await #expect(throws: (any Error).self) { try await task.value }
      proxy.freezeOpenConnections()
      // On a busy machine it was cancelled before it asked anything: then the silent connection lies idle, and whoever
      // asks over it next is told that it was lost.
      try await until { (try? await database.value("select 3", as: Int.self)) == 3 }
    }
  }
}
