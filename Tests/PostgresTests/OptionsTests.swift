import FoundationEssentials
import Postgres
import Testing

@Suite(.timeLimit(.minutes(60))) struct OptionsTests {
  @Test func `settings hold for their transaction and do not leak to the next lease`() async throws {
    try await withDatabase({ $0.poolSize = 1 }) { database in
      let tenant = UUID()
      let options = TransactionOptions(
        statementTimeout: .seconds(9),
        lockTimeout: .milliseconds(1500),
        idleTimeout: .seconds(60),
        settings: [
          .uuid("app.tenant", tenant), .text("app.mode", "import"), .text("app.note", "it's \\ \"x\""),
        ]
      )
      let sql: SQL = """
        select current_setting('app.tenant', true), current_setting('app.mode', true),
          current_setting('app.note', true), current_setting('statement_timeout'), current_setting('lock_timeout')
        """
      let inside = try #require(
        try await database.transaction(options) { tx in
          try tx.first(sql, String?.self, String?.self, String?.self, String.self, String.self)
        }
      )
      #expect(inside.0 == tenant.uuidString.lowercased())
      #expect(inside.1 == "import")
      #expect(inside.2 == "it's \\ \"x\"")
      #expect(inside.3 == "9s" && inside.4 == "1500ms")
      // After a commit a custom setting that was never set is an empty string.
      let after = try #require(
        try await database.transaction { tx in
          try tx.first(sql, String?.self, String?.self, String?.self, String.self, String.self)
        }
      )
      #expect((after.0 ?? "").isEmpty && (after.1 ?? "").isEmpty && (after.2 ?? "").isEmpty)
      #expect(after.3 == "0" && after.4 == "0")
    }
  }

  @Test(arguments: [nil, Duration.seconds(9)])
  func `a statement's own limit applies to it alone`(limit: Duration?) async throws {
    try await withDatabase { database in
      try await database.transaction(TransactionOptions(statementTimeout: limit)) { tx in
        let own: SQL = "current_setting('statement_timeout')"
        let show: SQL = "select \(own)"
        let limited: SQL = "select \(own.limited(to: .milliseconds(1234))), \(own.limited(to: .seconds(3)))"
        let usual = limit == nil ? "0" : "9s"
        #expect(try tx.value(show, as: String.self) == usual)
        #expect(try tx.value(limited, as: String.self) == "1234ms")
        #expect(try tx.value(show, as: String.self) == usual)
        let (first, second, third) = try tx.pipeline { pipeline in
          (
            pipeline.value(show, as: String.self),
            pipeline.value(show.limited(to: .seconds(60)), as: String.self),
            pipeline.value(show, as: String.self)
          )
        }
        #expect(try first.first == usual)
        #expect(try second.first == (limit == nil ? "1min" : "9s"), "not longer than the transaction's")
        #expect(try third.first == usual)
        let sleep: SQL = "select pg_sleep(600)"
        let error = #expect(throws: PostgresError.self) {
          try tx.savepoint { inner in try inner.execute(sleep.limited(to: .milliseconds(1))) }
        }
        #expect(error?.sqlState == .queryCanceled)
        #expect(try tx.value(show, as: String.self) == usual)
      }
    }
  }

  @Test func `a failing setting is reported without its value`() async throws {
    try await withDatabase { database in
      do {
        let options = TransactionOptions(settings: [.text("statement_timeout", "secret")])
        try await database.transaction(options) { tx in try tx.execute("select 1") }
        Issue.record("no error")
      } catch let error as PostgresError {
        #expect(error.sqlState == .invalidParameterValue)
        #expect(error.statement == "select pg_catalog.set_config('statement_timeout', $1, true)")
      }
    }
  }

  @Test(arguments: [
    (TransactionOptions(isolation: .serializable), "serializable", "off"),
    (TransactionOptions(isolation: .repeatableRead, readOnly: true), "repeatable read", "on"),
    (TransactionOptions(isolation: .readCommitted), "read committed", "off"),
    (TransactionOptions(readOnly: true), "read committed", "on"),
  ])
  func `isolation and access mode are those asked for`(
    options: TransactionOptions,
    isolation: String,
    readOnly: String
  ) async throws {
    try await withDatabase { database in
      let sql: SQL =
        "select current_setting('transaction_isolation'), current_setting('transaction_read_only')"
      let row = try await database.transaction(options) { tx in try tx.first(sql, String.self, String.self) }
      #expect(row?.0 == isolation)
      #expect(row?.1 == readOnly)
    }
  }

  @Test func `a statement that takes too long is an error of the server`() async throws {
    try await withDatabase { database in
      do {
        let options = TransactionOptions(statementTimeout: .milliseconds(30))
        try await database.transaction(options) { tx in try tx.execute("select pg_sleep(60)") }
        Issue.record("no error")
      } catch let error as PostgresError {
        #expect(error.kind == .server)
        #expect(error.sqlState == .queryCanceled)
      }
    }
  }

  @Test func `a transaction left idle for too long is a lost connection, which is replaced`() async throws {
    try await withDatabase({ $0.poolSize = 1 }) { database in
      do {
        try await database.transaction(TransactionOptions(idleTimeout: .milliseconds(1))) { tx in
          try tx.execute("select 1")
          // A slow body; each iteration gives the server more time to reach its timeout.
          for pause in 1...200 {
            spin(.milliseconds(pause))
            try tx.execute("select 1")
          }
        }
        Issue.record("no error")
      } catch let error as PostgresError {
        #expect(error.kind == .connection)
        #expect(error.sqlState == .idleInTransactionSessionTimeout)
      }
      #expect(try await database.value("select 1", as: Int.self) == 1)
    }
  }

  @Test func `the losers of a serialisation conflict are repeated`() async throws {
    try await withDatabase({ $0.poolSize = 6 }) { database in
      try await database.execute("create table retry_counter (n int8)")
      try await database.execute("insert into retry_counter values (0)")
      let options = TransactionOptions(isolation: .serializable, retries: 100)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<40 {
          group.addTask {
            try await database.transaction(options) { tx in
              let n = try tx.value("select n from retry_counter", as: Int.self)
              try tx.commit { p in p.execute("update retry_counter set n = \(n + 1)") }
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await database.value("select n from retry_counter", as: Int.self) == 40)
    }
  }

  @Test func `without retries a conflict is thrown to the caller`() async throws {
    try await withDatabase { database in
      let failure = await #expect(throws: PostgresError.self) {
        try await database.transaction { tx in
          try tx.execute("do $$ begin raise exception 'x' using errcode = '40001'; end $$")
        }
      }
      #expect(failure?.isRetryable == true)
      #expect(failure?.isTransient == true)
    }
  }

  private func spin(_ time: Duration) {
    let end = ContinuousClock.now + time
    while ContinuousClock.now < end {}
  }
}
