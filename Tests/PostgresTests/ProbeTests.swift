import Glibc
import Synchronization
import TestDatabase
import Testing

@testable import Postgres

/// Connections that stay open but forward nothing.
@Suite(.timeLimit(.minutes(60))) struct ProbeTests {
  func withProxy(_ body: (Proxy, Database) async throws -> Void) async throws {
    let proxy = try Proxy(to: try PrivateServer.shared.get().socket)
    defer { proxy.stop() }
    try await withDatabase({
      $0.parameters = proxied(proxy)
      $0.parameters["connect_timeout"] = "2"
      // Longer than a response takes on a busy machine.
      $0.probeAfter = .seconds(5)
      $0.resolveTimeout = .milliseconds(300)
    }) { database in try await body(proxy, database) }
  }

  @Test func `an unresponsive connection is given up, and idle ones beside it are replaced`()
    async throws
  {
    try await withProxy { proxy, database in
      // All three connections of the pool.
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<3 { group.addTask { try await database.execute("select pg_sleep(0.2)") } }
        try await group.waitForAll()
      }
      proxy.freezeOpenConnections()
      let failure = await #expect(throws: PostgresError.self) { try await database.execute("select 1") }
      #expect(failure?.kind == .unknownOutcome)
      #expect(failure?.message.contains("no response for") == true)
      for number in 0..<4 { #expect(try await database.value("select \(number)", as: Int.self) == number) }
    }
  }

  @Test func `a transaction without any response is repeated unnoticed`() async throws {
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

  @Test func `a statement may take many times as long as the probe interval`() async throws {
    try await withProxy { _, database in
      let slept = try await database.transaction { tx in
        try tx.value("select pg_sleep(15)::text || 'slept'", as: String.self)
      }
      #expect(slept == "slept")
    }
  }

  @Test func `a commit without a response has an unknown outcome`() async throws {
    try await withProxy { proxy, database in
      let failure = await #expect(throws: PostgresError.self) {
        try await database.transaction(TransactionOptions(resolvesLostCommit: true)) { tx in
          try tx.execute("create table if not exists probe_lost (n int8)")
          proxy.freezeOpenConnections()
        }
      }
      #expect(failure?.kind == .unknownOutcome)
    }
  }

  @Test func `work continues when a frozen proxy accepts new connections`() async throws {
    try await withProxy { proxy, database in
      #expect(try await database.value("select 1", as: Int.self) == 1)
      proxy.goSilent()
      async let answer = database.transaction { tx in try tx.value("select 2", as: Int.self) }
      // Long enough for the first probes to fail.
      try await Task.sleep(for: .seconds(6))
      proxy.freezeOpenConnections()
      #expect(try await answer == 2)
    }
  }

  @Test func `a cancelled task does not wait for a frozen proxy`() async throws {
    try await withProxy { proxy, database in
      #expect(try await database.value("select 1", as: Int.self) == 1)
      proxy.goSilent()
      let task = Task { try await database.transaction { tx in try tx.value("select 2", as: Int.self) } }
      try await Task.sleep(for: .milliseconds(50))
      task.cancel()
      await #expect(throws: (any Error).self) { try await task.value }
      proxy.freezeOpenConnections()
      // On a busy machine the task may be cancelled before its first statement. The frozen connection is then idle, and
      // its next user gets an error.
      try await until { (try? await database.value("select 3", as: Int.self)) == 3 }
    }
  }
}
