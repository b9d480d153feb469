import Domain
import FoundationEssentials
import Postgres
import Secrets
import Store
import Synchronization
import TestDatabase
import Testing

@testable import API

/// Rate limits of several server processes over one database.
@Suite(.timeLimit(.minutes(60))) struct RateLimiterTests {
  /// Three limiters with connections of their own, as three processes have.
  private struct Fleet {
    let limiters: [RateLimiter]
    let databases: [Database]
    let superuser: Database

    static func open() async throws -> Fleet {
      let database = try await TestDatabase.make()
      let keys = Keys.random()
      let databases = (0..<3).map { _ in database.connect(as: "fettle_app", poolSize: 4) }
      return Fleet(
        limiters: databases.map { RateLimiter(RateStore($0), keys: { keys }) },
        databases: databases,
        superuser: database.connect(as: "postgres", poolSize: 1)
      )
    }

    /// Takes permits through all limiters at once until each refuses; returns the number granted.
    func exhaust(_ rule: RateRule, _ subject: RateSubject) async throws -> Int {
      try await withThrowingTaskGroup(of: Int.self) { group in
        for limiter in limiters {
          for _ in 0..<4 {
            group.addTask {
              var granted = 0
              // A limiter that never refuses ends too.
              while granted < 1_000 {
                do {
                  try await limiter.take(rule, subject)
                  granted += 1
                } catch let error as DomainError where error.code == .rateLimited {
                  return granted
                }
              }
              return granted
            }
          }
        }
        return try await group.reduce(0, +)
      }
    }

    func close() async {
      for database in databases + [superuser] { await database.close() }
    }
  }

  @Test func `an exact rule holds for three processes together`() async throws {
    let fleet = try await Fleet.open()
    let granted = try await fleet.exhaust(
      .exact("sign-in", count: 10, per: .seconds(864_000)),
      RateSubject("ana")
    )
    #expect(granted == 10)
    await fleet.close()
  }

  @Test func `a leased rule holds for three processes together, and later exceeds by their blocks at most`()
    async throws
  {
    let fleet = try await Fleet.open()
    let rule = RateRule("leased", count: 100, per: .seconds(864_000), block: 10)
    // Each process holds a block and has spent one of its permits.
    for limiter in fleet.limiters { try await limiter.take(rule, RateSubject("ana")) }
    #expect(try await fleet.exhaust(rule, RateSubject("ana")) == 97)

    // All permits come back, after each process has taken a block from the time before.
    try await fleet.superuser.execute("update core.rate set used_until = now() - interval '1 day'")
    let fresh = RateRule("fresh", count: 100, per: .seconds(864_000), block: 10)
    for limiter in fleet.limiters { try await limiter.take(fresh, RateSubject("ana")) }
    try await fleet.superuser.execute("update core.rate set used_until = now() - interval '1 day'")
    let granted = try await fleet.exhaust(fresh, RateSubject("ana"))
    #expect((100...100 + 3 * fresh.block).contains(granted))
    await fleet.close()
  }

  @Test func `a refusal says when to try again, and subjects do not share a limit`() async throws {
    let fleet = try await Fleet.open()
    let rule = RateRule.exact("hourly", count: 2, per: .seconds(3_600))
    let limiter = fleet.limiters[0]
    let standing = try await limiter.standing(rule, RateSubject("ana"))
    #expect(standing.remaining == 1)
    try await limiter.take(rule, RateSubject("ana"))
    let refusal = await #expect(throws: DomainError.self) { try await limiter.take(rule, RateSubject("ana")) }
    #expect(refusal?.code == .rateLimited)
    let seconds = (refusal?.details["retry_after"]?.text).flatMap { Int($0) } ?? 0
    #expect((1_700...1_800).contains(seconds))
    try await limiter.take(rule, RateSubject("ben"))
    await fleet.close()
  }

  @Test func `the table names nobody, and rows that say nothing are deleted`() async throws {
    let fleet = try await Fleet.open()
    try await fleet.limiters[0].take(.signIn, RateSubject("ana@example.com"))
    let sizes = try await fleet.superuser.rows("select octet_length(key) from core.rate", Int32.self)
    #expect(sizes == [32])
    let stays = try await fleet.superuser.value("select core.forget_rates(1000)", as: Int.self)
    #expect(stays == 0)
    try await fleet.superuser.execute("update core.rate set used_until = now() - interval '1 second'")
    let gone = try await fleet.superuser.value("select core.forget_rates(1000)", as: Int.self)
    #expect(gone == 1)
    await fleet.close()
  }

  @Test func `a caller that is cancelled does not wait for the database, nor end the wait of others`()
    async throws
  {
    let fleet = try await Fleet.open()
    let limiter = fleet.limiters[0]
    let isLocked = Mutex(false)
    let isOver = Mutex(false)
    let lock = Task { [superuser = fleet.superuser] in
      try await superuser.transaction { tx in
        try tx.execute("lock table core.rate")
        isLocked.withLock { $0 = true }
        while !isOver.withLock({ $0 }) { try tx.execute("select pg_sleep(0.01)") }
      }
    }
    try await until { isLocked.withLock { $0 } }
    let tasks = (0..<2).map { _ in Task { try await limiter.take(.signIn, RateSubject("ana")) } }
    tasks[0].cancel()
    let cancelled = await tasks[0].result
    isOver.withLock { $0 = true }
    try await lock.value
    #expect(throws: CancellationError.self) { try cancelled.get() }
    try await tasks[1].value
    await fleet.close()
  }

  @Test func `an outage of the database is not a free pass`() async throws {
    let fleet = try await Fleet.open()
    await fleet.databases[0].close()
    let error = await #expect(throws: PostgresError.self) {
      try await fleet.limiters[0].take(.signIn, RateSubject("ana"))
    }
    #expect(error?.kind == .closed)
    await fleet.close()
  }
}
