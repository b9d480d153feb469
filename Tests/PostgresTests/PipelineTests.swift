import Postgres
import Testing

@Suite(.timeLimit(.minutes(60))) struct PipelineTests {
  @Test func `the first error is thrown with its statement, and nothing after it has run`() async throws {
    try await withDatabase { database in
      try await database.execute("create table pipe_error (n int8 primary key)")
      do {
        try await database.transaction { tx in
          try tx.pipeline { p in
            p.execute("insert into pipe_error values (\(1))")
            p.execute("insert into pipe_error values (\(1)) returning n")
            p.execute("select 1 / 0")
          }
        }
        Issue.record("no error")
      } catch SQLState.uniqueViolation {
        let count = try await database.value("select count(*) from pipe_error", as: Int.self)
        #expect(count == 0)
      } catch let error as PostgresError {
        Issue.record("another error: \(error)")
      }
    }
  }

  @Test func `an error names its position but no values`() async throws {
    try await withDatabase { database in
      try await database.execute("create table pipe_detail (n text constraint only_one unique)")
      try await database.execute("insert into pipe_detail values ('secret')")
      do {
        try await database.execute("insert into pipe_detail values (\("secret"))")
        Issue.record("no error")
      } catch let error as PostgresError {
        #expect(error.kind == .server)
        #expect(error.sqlState == .uniqueViolation)
        #expect(error.constraint == "only_one")
        #expect(error.table == "pipe_detail")
        #expect(error.schema == "public")
        #expect(error.statement == "insert into pipe_detail values ($1)")
        #expect(error.detail?.contains("secret") == true)
        #expect(!"\(error)".contains("secret"))
        #expect(!error.isRetryable && !error.isTransient)
      }
      do {
        try await database.execute("select\n nonsense")
      } catch let error as PostgresError {
        #expect(error.sqlState == .undefinedColumn)
        #expect(error.position == 9)
      }
    }
  }

  @Test func `a body that catches an error cannot commit around it`() async throws {
    try await withDatabase { database in
      try await database.execute("create table pipe_swallow (n int8)")
      await #expect(throws: PostgresError.self) {
        try await database.transaction { tx in
          try tx.execute("insert into pipe_swallow values (1)")
          do { try tx.execute("select 1 / 0") } catch is PostgresError {}
        }
      }
      #expect(try await database.value("select count(*) from pipe_swallow", as: Int.self) == 0)
    }
  }

  @Test func `a failing commit leaves nothing and no half-read tickets`() async throws {
    try await withDatabase { database in
      try await database.execute("create table pipe_parent (id int8 primary key)")
      try await database.execute(
        "create table pipe_child (id int8 references pipe_parent deferrable initially deferred)"
      )
      do {
        try await database.transaction { tx in
          try tx.commit { p in p.execute("insert into pipe_child values (\(7))") }
        }
        Issue.record("no error")
      } catch SQLState.foreignKeyViolation {}
      #expect(try await database.value("select count(*) from pipe_child", as: Int.self) == 0)
    }
  }

  @Test func `a ticket cannot be read before its pipeline has been sent, nor after it failed`() async throws {
    try await withDatabase { database in
      await #expect(throws: PostgresError.self) {
        try await database.transaction { tx in
          try tx.pipeline { p in
            let ticket = p.value("select 1", as: Int.self)
            _ = try ticket.first
          }
        }
      }
    }
  }

  @Test func `megabytes go both ways at once without a deadlock`() async throws {
    try await withDatabase { database in
      let chunk = [UInt8](repeating: 0x61, count: 100_000)
      let total = try await database.transaction { tx in
        let tickets = try tx.pipeline { p in
          (0..<200).map { _ in p.value("select \(chunk) || '\\x00'::bytea", as: [UInt8].self) }
        }
        return try tickets.reduce(0) { try $0 + ($1.first?.count ?? 0) }
      }
      #expect(total == 200 * 100_001)
    }
  }

  @Test func `a thousand statements are one round trip, prepared once`() async throws {
    try await withDatabase { database in
      let (sum, prepared) = try await database.transaction { tx in
        let tickets = try tx.pipeline { p in (0..<1000).map { p.value("select \($0) + 1", as: Int.self) } }
        let sum = try tickets.reduce(0) { try $0 + ($1.first ?? 0) }
        let sql: SQL = "select count(*) from pg_prepared_statements where statement = 'select $1 + 1'"
        return (sum, try tx.value(sql, as: Int.self))
      }
      #expect(sum == 500_500)
      #expect(prepared == 1)
    }
  }

  @Test func `a body that throws while filling a pipeline sends none of it`() async throws {
    struct Mine: Error {}
    try await withDatabase { database in
      try await database.execute("create table pipe_throw (n int8)")
      try await database.transaction { tx in
        #expect(throws: Mine.self) {
          try tx.pipeline { p in
            p.execute("insert into pipe_throw values (1)")
            throw Mine()
          }
        }
      }
      #expect(try await database.value("select count(*) from pipe_throw", as: Int.self) == 0)
    }
  }

  @Test func `COPY in a pipeline is refused, and the pool stays sound`() async throws {
    try await withDatabase({ $0.poolSize = 1 }) { database in
      await #expect(throws: PostgresError.self) { try await database.execute("copy (select 1) to stdout") }
      let one = try await database.value("select 1", as: Int.self)
      #expect(one == 1)
    }
  }

  @Test func `results of sent statements are readable after the next round trip`() async throws {
    try await withDatabase { database in
      try await database.execute("create table pipe_sent (n int8 primary key)")
      try await database.transaction { tx in
        let first = try tx.send { p in
          p.rows("insert into pipe_sent values (\(1)), (\(2)) returning n", Int.self)
        }
        #expect(throws: PostgresError.self) { try first.all }
        let count = try tx.value("select count(*) from pipe_sent", as: Int.self)
        #expect(count == 2)
        #expect(try first.all == [1, 2])
        let second = try tx.send { p in p.execute("insert into pipe_sent values (\(3))") }
        try tx.collect()
        #expect(try second.affected == 1)
        try tx.send { p in p.execute("insert into pipe_sent values (\(4))") }
      }
      #expect(try await database.value("select count(*) from pipe_sent", as: Int.self) == 4)
    }
  }

  @Test func `a sent statement that fails makes the next round trip fail, and its statements are skipped`()
    async throws
  {
    try await withDatabase { database in
      try await database.execute("create table pipe_late (n int8 primary key)")
      await #expect {
        try await database.transaction { tx in
          try tx.send { p in p.execute("insert into pipe_late values (\(1)), (\(1))") }
          try tx.execute("insert into pipe_late values (\(2))")
        }
      } throws: {
        ($0 as? PostgresError)?.sqlState == .uniqueViolation
      }
      await #expect {
        try await database.transaction { tx in
          try tx.send { p in p.execute("insert into pipe_late values (\(1)), (\(1))") }
        }
      } throws: {
        ($0 as? PostgresError)?.sqlState == .uniqueViolation
      }
      #expect(try await database.value("select count(*) from pipe_late", as: Int.self) == 0)
    }
  }

  @Test func `a savepoint throws the errors of statements sent inside it`() async throws {
    try await withDatabase { database in
      try await database.execute("create table pipe_inside (n int8 primary key)")
      try await database.transaction { tx in
        try tx.execute("insert into pipe_inside values (\(1))")
        #expect {
          try tx.savepoint { tx in
            try tx.send { p in p.execute("insert into pipe_inside values (\(1))") }
          }
        } throws: {
          ($0 as? PostgresError)?.sqlState == .uniqueViolation
        }
        try tx.send { p in p.execute("insert into pipe_inside values (\(2))") }
        _ = try? tx.savepoint { tx in
          try tx.send { p in p.execute("insert into pipe_inside values (\(3))") }
          throw CancellationError()
        }
      }
      #expect(try await database.rows("select n from pipe_inside order by n", Int.self) == [1, 2])
    }
  }

  @Test func `a body that throws leaves a usable connection, whatever it had sent`() async throws {
    try await withDatabase { database in
      try await database.execute("create table pipe_given_up (n int8)")
      for _ in 0..<3 {
        await #expect(throws: CancellationError.self) {
          try await database.transaction { tx in
            try tx.send { p in
              // More than the network buffers can hold.
              p.execute("insert into pipe_given_up select unnest(\(Array(repeating: 1, count: 200_000)))")
              p.execute("select 1 / 0")
            }
            throw CancellationError()
          }
        }
        #expect(try await database.value("select count(*) from pipe_given_up", as: Int.self) == 0)
      }
    }
  }

  @Test func `a shared question is sent once and answers all who asked`() async throws {
    try await withDatabase { database in
      try await database.execute("create table pipe_shared (n int8)")
      let answers = try await database.transaction { tx in
        let tickets = try tx.pipeline { p in
          p.execute("insert into pipe_shared values (\(1))")
          p.execute("insert into pipe_shared values (\(1))")
          return p.sharing { p in
            [1, 2, 1, 1].map { n in
              p.value("insert into pipe_shared values (\(n)) returning n * 10", as: Int64.self)
            }
          }
        }
        return try tickets.map { try $0.first }
      }
      #expect(answers == [10, 20, 10, 10])
      // Statements outside of the body are not shared.
      #expect(try await database.value("select count(*) from pipe_shared", as: Int.self) == 4)
    }
  }
}
