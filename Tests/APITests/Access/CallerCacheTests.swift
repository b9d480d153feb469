import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(60))) struct CallerCacheTests {
  private let start = Instant(microseconds: 1_000_000_000)

  private func caller() async throws -> Caller {
    let shop = try await Workshop.open()
    let user = try #require(shop.members["user"]?.userID)
    let acting = ActingContext(company: shop.company, actor: .token(UUID(), of: user), user: user)
    return Caller(kind: .token, acting: acting, user: user)
  }

  @Test func `a bearer is found once a minute`() async throws {
    let (cache, caller) = (CallerCache(), try await caller())
    let count = Atomic(0)
    for second in [0, 30, 59, 60, 61] {
      _ = try await cache.caller("secret", at: start + .seconds(second)) {
        count.add(1, ordering: .relaxed)
        return caller
      }
    }
    #expect(count.load(ordering: .relaxed) == 2)
  }

  @Test func `a refusal is not remembered`() async throws {
    let (cache, caller) = (CallerCache(), try await caller())
    await #expect(throws: DomainError.self) {
      try await cache.caller("secret", at: start) { throw DomainError(.sessionExpired) }
    }
    #expect(cache.count == 0)
    let found = try await cache.caller("secret", at: start) { caller }
    #expect(found.user == caller.user)
  }

  @Test func `the cache stays within its capacity, and can be emptied`() async throws {
    let (cache, caller) = (CallerCache(capacity: 10), try await caller())
    for number in 0..<100 { _ = try await cache.caller("\(number)", at: start) { caller } }
    #expect(cache.count <= 10)
    cache.forgetAll()
    #expect(cache.count == 0)
  }
}
