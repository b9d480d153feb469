import Postgres
import TestDatabase
import Testing

@Suite(.timeLimit(.minutes(60))) struct LostCommitTests {
  func withProxy(_ body: (Proxy, Database, Database) async throws -> Void) async throws {
    let proxy = try Proxy(to: try PrivateServer.shared.get().socket)
    defer { proxy.stop() }
    try await withDatabase { direct in
      try await withDatabase({
        $0.parameters = proxied(proxy)
        $0.prepared = false
        $0.resolveTimeout = .milliseconds(300)
      }) { database in
        try await body(proxy, database, direct)
      }
    }
  }

  static let resolving = TransactionOptions(resolvesLostCommit: true)

  @Test(arguments: [true, false])
  func `when the answer to a commit is lost but it took effect, the body's value is returned`(
    explicit: Bool
  ) async throws {
    try await withProxy { proxy, database, direct in
      let table = Identifier("lost_kept_\(explicit)")
      try await direct.execute("create table \(identifier: table) (n int8)")
      proxy.failNextCommit(.cutAfterAnswer)
      let value = try await database.transaction(Self.resolving) { tx in
        try tx.execute("insert into \(identifier: table) values (1)")
        if explicit { try tx.commit { p in p.execute("insert into \(identifier: table) values (2)") } }
        return "done"
      }
      #expect(value == "done")
      let rows = try await direct.value("select count(*) from \(identifier: table)", as: Int.self)
      #expect(rows == (explicit ? 2 : 1))
      #expect(try await database.value("select 1", as: Int.self) == 1)
    }
  }

  @Test func `a commit that never arrived is reported as rolled back`() async throws {
    try await withProxy { proxy, database, direct in
      try await direct.execute("create table lost_aborted (n int8)")
      proxy.failNextCommit(.cutBeforeForwarding)
      let failure = await #expect(throws: PostgresError.self) {
        try await database.transaction(Self.resolving) { tx in
          try tx.execute("insert into lost_aborted values (1)")
        }
      }
      #expect(failure?.kind == .connection)
      #expect(failure?.message.contains("rolled the transaction back") == true)
      #expect(try await direct.value("select count(*) from lost_aborted", as: Int.self) == 0)
    }
  }

  @Test func `without a status query, or without a response to it, the outcome is unknown`() async throws {
    try await withProxy { proxy, database, _ in
      proxy.failNextCommit(.cutAfterAnswer)
      let unasked = await #expect(throws: PostgresError.self) {
        try await database.transaction { tx in try tx.execute("select 1") }
      }
      #expect(unasked?.kind == .unknownOutcome)
      #expect(unasked?.isTransient == false)
      proxy.failNextCommit(.cutAfterAnswer, thenRefuse: true)
      let unanswered = await #expect(throws: PostgresError.self) {
        try await database.transaction(Self.resolving) { tx in try tx.execute("select 1") }
      }
      #expect(unanswered?.kind == .unknownOutcome)
    }
  }
}
