import Postgres
import Testing

@Suite(.timeLimit(.minutes(60))) struct SavepointTests {
  struct Mine: Error {}

  @Test func `a failed savepoint undoes its own work only`() async throws {
    try await withDatabase { database in
      try await database.execute("create table save_some (n int8 primary key)")
      try await database.transaction { tx in
        try tx.execute("insert into save_some values (1)")
        do {
          try tx.savepoint { tx in
            try tx.execute("insert into save_some values (2)")
            try tx.execute("insert into save_some values (1)")
          }
        } catch SQLState.uniqueViolation {}
        try tx.savepoint { tx in
          try tx.execute("insert into save_some values (3)")
          #expect(throws: Mine.self) {
            try tx.savepoint { tx in
              try tx.execute("insert into save_some values (4)")
              throw Mine()
            }
          }
          try tx.execute("insert into save_some values (5)")
        }
      }
      #expect(try await database.rows("select n from save_some order by n", Int.self) == [1, 3, 5])
    }
  }

  @Test func `an error that a savepoint's body catches still undoes the savepoint`() async throws {
    try await withDatabase { database in
      try await database.execute("create table save_swallow (n int8)")
      try await database.transaction { tx in
        #expect(throws: PostgresError.self) {
          try tx.savepoint { tx in
            do { try tx.execute("select 1 / 0") } catch is PostgresError {}
          }
        }
        try tx.execute("insert into save_swallow values (1)")
      }
      #expect(try await database.value("select count(*) from save_swallow", as: Int.self) == 1)
    }
  }

  @Test func `savepoints without statements cost nothing and do no harm`() async throws {
    try await withDatabase { database in
      try await database.transaction { tx in
        try tx.savepoint { tx in try tx.savepoint { _ in } }
        #expect(throws: Mine.self) { try tx.savepoint { _ in throw Mine() } }
      }
      let one = try await database.transaction { tx in
        try tx.savepoint { _ in }
        return try tx.savepoint { tx in try tx.value("select 1", as: Int.self) }
      }
      #expect(one == 1)
    }
  }

  @Test func `a transaction cannot be committed inside a savepoint`() async throws {
    try await withDatabase { database in
      await #expect(throws: PostgresError.self) {
        try await database.transaction { tx in
          try tx.savepoint { tx in try tx.commit { p in p.execute("select 1") } }
        }
      }
    }
  }

  @Test func `a dry run changes nothing although its body returns`() async throws {
    try await withDatabase { database in
      try await database.execute("create table save_dry (n int8)")
      let count = try await database.transaction { tx in
        try tx.execute("insert into save_dry values (1)")
        let count = try tx.value("select count(*) from save_dry", as: Int.self)
        try tx.rollback()
        #expect(throws: PostgresError.self) { try tx.execute("select 1") }
        return count
      }
      #expect(count == 1)
      #expect(try await database.value("select count(*) from save_dry", as: Int.self) == 0)
    }
  }
}
