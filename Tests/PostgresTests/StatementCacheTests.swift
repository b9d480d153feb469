import Testing

@testable import Postgres

@Suite(.timeLimit(.minutes(60))) struct StatementCacheTests {
  @Test func `one text with other types is another statement`() {
    var cache = StatementCache()
    let first = cache.statement(for: "select \(1)")
    first.isPrepared = true
    #expect(cache.statement(for: "select \(2)") === first)
    #expect(cache.statement(for: "select \("x")") !== first)
    #expect(cache.takeEvicted() == [first.name])
  }

  @Test func `the least recently used statement makes fixture`() {
    var cache = StatementCache(limit: 2)
    let (a, b): (SQL, SQL) = ("select 1", "select 2")
    let kept = cache.statement(for: a)
    let dropped = cache.statement(for: b)
    kept.isPrepared = true
    dropped.isPrepared = true
    _ = cache.statement(for: a)
    _ = cache.statement(for: "select 3")
    #expect(cache.statement(for: a) === kept)
    #expect(cache.takeEvicted() == [dropped.name])
    #expect(cache.count == 2)
  }

  @Test func `evicted statements are dropped from the server`() async throws {
    try await withDatabase({ $0.poolSize = 1 }) { database in
      try await database.transaction { tx in
        for number in 0..<300 {
          try tx.execute("select 1 as \(identifier: "c\(number)")")
        }
      }
      let count = try await database.value("select count(*) from pg_prepared_statements", as: Int.self)
      // The query itself is one more statement; the one it evicts is deallocated afterwards.
      #expect(count == 257)
    }
  }

  @Test func `a statement whose table was altered is prepared again, unnoticed`() async throws {
    try await withDatabase({ $0.poolSize = 1 }) { database in
      try await database.execute("create table cache_altered (a int8)")
      try await database.execute("insert into cache_altered values (1)")
      #expect(try await database.rows("select * from cache_altered", Int.self) == [1])
      try await database.execute("alter table cache_altered add column b int8 default 2")
      let rows = try await database.rows("select * from cache_altered", Int.self, Int.self)
      #expect(rows.first?.1 == 2)
      try await database.execute("alter table cache_altered drop column b")
      let inside = try await database.transaction { tx in try tx.rows("select * from cache_altered", Int.self)
      }
      #expect(inside == [1])
    }
  }

  @Test func `prepared statements lost by the server are replaced`() async throws {
    try await withDatabase({ $0.poolSize = 1 }) { database in
      #expect(try await database.value("select \(1)", as: Int.self) == 1)
      try await database.execute(("deallocate all" as SQL).unprepared())
      #expect(try await database.value("select \(2)", as: Int.self) == 2)
      #expect(!database.switches.prepares)
      #expect(try await database.transaction { tx in try tx.value("select \(3)", as: Int.self) } == 3)
    }
  }

  @Test func `with prepared statements off none are made`() async throws {
    try await withDatabase({
      $0.prepared = false
      $0.poolSize = 1
    }) { database in
      try await database.transaction { tx in
        _ = try tx.pipeline { p in p.value("select \(1)", as: Int.self) }
      }
      #expect(try await database.value("select count(*) from pg_prepared_statements", as: Int.self) == 0)
    }
  }
}
