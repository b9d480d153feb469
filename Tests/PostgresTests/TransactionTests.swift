import FoundationEssentials
import Postgres
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(60))) struct TransactionTests {
  @Test func `values are bound and columns are read by their types`() async throws {
    try await withDatabase { database in
      let id = UUID()
      let row = try await database.transaction { tx in
        try tx.first(
          "select \(id), \(7)::int4, \("hé")::text, null::int8",
          UUID.self,
          Int.self,
          String.self,
          Int?.self
        )
      }
      let (uuid, seven, text, none) = try #require(row)
      #expect(uuid == id)
      #expect(seven == 7)
      #expect(text == "hé")
      #expect(none == nil)
    }
  }

  @Test func `what waits for the commit is called once, and never after a rollback`() async throws {
    struct Mine: Error {}
    try await withDatabase { database in
      let calls = Mutex<[String]>([])
      @Sendable func call(_ name: String) -> @Sendable () -> Void { { calls.withLock { $0.append(name) } } }
      try await database.execute("create table tx_told (n int8)")
      try await database.transaction { tx in
        try tx.execute("insert into tx_told values (1)")
        tx.afterCommit(call("first"))
        let isEarly = calls.withLock { !$0.isEmpty }
        #expect(!isEarly)
      }
      await #expect(throws: Mine.self) {
        try await database.transaction { tx in
          tx.afterCommit(call("thrown"))
          try tx.execute("insert into tx_told values (2)")
          throw Mine()
        }
      }
      try await database.transaction { tx in
        tx.afterCommit(call("rolled back"))
        try tx.execute("insert into tx_told values (3)")
        try tx.rollback()
      }
      try await database.transaction { tx in
        try tx.execute("insert into tx_told values (4)")
        tx.afterCommit(call("early"))
        try tx.commit { pipeline in pipeline.execute("insert into tx_told values (5)") }
        let last = calls.withLock { $0.last }
        #expect(last == "early")
      }
      let all = calls.withLock { $0 }
      #expect(all == ["first", "early"])
    }
  }

  @Test func `a body that returns is committed and one that throws is rolled back`() async throws {
    struct Mine: Error {}
    try await withDatabase { database in
      try await database.execute("create table tx_kept (n int8)")
      try await database.transaction { tx in try tx.execute("insert into tx_kept values (\(1))") }
      await #expect(throws: Mine.self) {
        try await database.transaction { tx in
          try tx.execute("insert into tx_kept values (\(2))")
          throw Mine()
        }
      }
      #expect(try await database.rows("select n from tx_kept", Int.self) == [1])
    }
  }

  @Test func `a pipeline and a commit are two round trips`() async throws {
    try await withDatabase { database in
      try await database.execute("create table tx_two (n int8, t text)")
      let (count, names) = try await database.transaction { tx in
        let (a, b) = try tx.pipeline { p in
          (
            p.value("select count(*) from tx_two", as: Int.self),
            p.rows("select 'x', \(5)::int8", String.self, Int.self)
          )
        }
        let before = try #require(try a.first)
        let row = try b.all[0]
        let inserted = try tx.commit { p in
          p.execute("insert into tx_two values (\(row.1), \(row.0))")
          return p.rows("insert into tx_two values (2, null) returning t", String?.self)
        }
        #expect(try inserted.affected == 1)
        #expect(throws: PostgresError.self) { try tx.execute("select 1") }
        return (before, try inserted.all)
      }
      #expect(count == 0)
      #expect(names == [nil])
      #expect(try await database.value("select count(*) from tx_two", as: Int.self) == 2)
    }
  }

  @Test func `a session runs several transactions and statements outside them`() async throws {
    try await withDatabase { database in
      let backend = try await database.session { session in
        try session.execute("select pg_advisory_lock(4711)")
        try session.transaction { tx in try tx.execute("create table tx_session (n int4)") }
        try session.execute("create index concurrently on tx_session (n)")
        return try session.value("select pg_backend_pid()", as: Int.self)
      }
      #expect(backend > 0)
    }
  }
}
