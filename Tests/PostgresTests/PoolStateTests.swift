import FoundationEssentials
import TestDatabase
import TestTools
import Testing

@testable import Postgres

@Suite struct PoolStateTests {
  let start = ContinuousClock.now

  func pool(
    size: Int = 2,
    perKey: Int? = nil,
    lifetime: Duration = .seconds(60),
    waiting: Int? = nil,
    waitingPerKey: Int? = nil
  ) -> PoolState {
    PoolState(
      limits: .init(
        size: size,
        perKey: perKey,
        lifetime: lifetime,
        leaseTimeout: .seconds(5),
        waiting: waiting,
        waitingPerKey: waitingPerKey
      )
    )
  }

  func grant(_ acquisition: PoolState.Acquisition) throws -> PoolState.Grant {
    guard case .lease(let grant) = acquisition else { throw Unexpected(acquisition: acquisition) }
    return grant
  }

  struct Unexpected: Error { let acquisition: PoolState.Acquisition }

  @Test func `connections are made up to the size, then callers wait`() throws {
    var pool = pool()
    #expect(try grant(pool.acquire(waiter: 1, key: nil, now: start)).isNew)
    #expect(try grant(pool.acquire(waiter: 2, key: nil, now: start)).isNew)
    #expect(pool.acquire(waiter: 3, key: nil, now: start) == .wait)
    #expect(pool.heldCount == 2)
  }

  @Test func `the connection used last is used next`() throws {
    var pool = pool()
    let first = try grant(pool.acquire(waiter: 1, key: nil, now: start))
    let second = try grant(pool.acquire(waiter: 2, key: nil, now: start))
    _ = pool.release(lease: first.lease, isUsable: true, now: start)
    _ = pool.release(lease: second.lease, isUsable: true, now: start)
    let next = try grant(pool.acquire(waiter: 3, key: nil, now: start))
    #expect(next.connection == second.connection)
    #expect(!next.isNew)
  }

  @Test func `waiters are served in order and nobody overtakes them`() throws {
    var pool = pool(size: 1)
    let held = try grant(pool.acquire(waiter: 1, key: nil, now: start))
    #expect(pool.acquire(waiter: 2, key: nil, now: start) == .wait)
    #expect(pool.acquire(waiter: 3, key: nil, now: start) == .wait)
    #expect(pool.acquireAtOnce(key: nil, now: start) == nil)
    let returned = pool.release(lease: held.lease, isUsable: true, now: start)
    #expect(returned.grants.map(\.number) == [2])
    #expect(returned.grants.first?.grant.connection == held.connection)
    #expect(pool.waitingCount == 1)
  }

  @Test func `an unusable connection is closed and its place given to a new one`() throws {
    var pool = pool(size: 1)
    let held = try grant(pool.acquire(waiter: 1, key: nil, now: start))
    #expect(pool.acquire(waiter: 2, key: nil, now: start) == .wait)
    let returned = pool.release(lease: held.lease, isUsable: false, now: start)
    #expect(returned.closed == [held.connection])
    let next = try #require(returned.grants.first?.grant)
    #expect(next.isNew)
    #expect(next.connection != held.connection)
  }

  @Test func `a cancelled waiter is skipped; one that has a connection cannot be cancelled`() throws {
    var pool = pool(size: 1)
    let held = try grant(pool.acquire(waiter: 1, key: nil, now: start))
    _ = pool.acquire(waiter: 2, key: nil, now: start)
    _ = pool.acquire(waiter: 3, key: nil, now: start)
    let gaveUp = [pool.abandon(waiter: 2), pool.abandon(waiter: 2)]
    #expect(gaveUp == [true, false])
    #expect(pool.release(lease: held.lease, isUsable: true, now: start).grants.map(\.number) == [3])
    let tooLate = pool.abandon(waiter: 3)
    #expect(!tooLate)
  }

  @Test func `waiters expire at their deadline`() throws {
    var pool = pool(size: 1)
    _ = pool.acquire(waiter: 1, key: nil, now: start)
    _ = pool.acquire(waiter: 2, key: nil, now: start)
    _ = pool.acquire(waiter: 3, key: nil, now: start + .seconds(2))
    #expect(pool.nextDeadline == start + .seconds(5))
    #expect(pool.expire(now: start + .seconds(4)).isEmpty)
    #expect(pool.expire(now: start + .seconds(5)) == [2])
    #expect(pool.nextDeadline == start + .seconds(7))
  }

  @Test func `one key cannot take the whole pool, and other keys overtake its waiters`() throws {
    var pool = pool(size: 3, perKey: 1)
    let (a, b) = (UUID(), UUID())
    let held = try grant(pool.acquire(waiter: 1, key: a, now: start))
    #expect(pool.acquire(waiter: 2, key: a, now: start) == .wait)
    #expect(try grant(pool.acquire(waiter: 3, key: b, now: start)).isNew)
    #expect(try grant(pool.acquire(waiter: 4, key: nil, now: start)).isNew)
    #expect(pool.acquire(waiter: 5, key: nil, now: start) == .wait)
    // A key at its limit loses its turn until one of its own connections returns.
    let returned = pool.release(lease: held.lease, isUsable: true, now: start)
    #expect(returned.grants.map(\.number) == [5])
    let next = pool.release(lease: returned.grants[0].grant.lease, isUsable: true, now: start)
    #expect(next.grants.map(\.number) == [2])
  }

  @Test func `the keys of waiters take turns, and each key is served in order`() throws {
    var pool = pool(size: 1)
    let (a, b) = (UUID(), UUID())
    var lease = try grant(pool.acquire(waiter: 0, key: nil, now: start)).lease
    for waiter in 1...3 { #expect(pool.acquire(waiter: waiter, key: a, now: start) == .wait) }
    #expect(pool.acquire(waiter: 4, key: b, now: start) == .wait)
    #expect(pool.acquire(waiter: 5, key: nil, now: start) == .wait)
    var served: [Int] = []
    for _ in 1...5 {
      let next = try #require(pool.release(lease: lease, isUsable: true, now: start).grants.first)
      served.append(next.number)
      lease = next.grant.lease
    }
    #expect(served == [1, 4, 5, 2, 3])
  }

  @Test func `a key that had its maximum is served when it returns a connection`() throws {
    var pool = pool(size: 2, perKey: 1)
    let (a, b) = (UUID(), UUID())
    let first = try grant(pool.acquire(waiter: 1, key: a, now: start))
    let second = try grant(pool.acquire(waiter: 2, key: b, now: start))
    #expect(pool.acquire(waiter: 3, key: a, now: start) == .wait)
    // The free connection is not for the waiter, whose key has its maximum; another key gets it at once.
    #expect(pool.release(lease: second.lease, isUsable: true, now: start).grants.isEmpty)
    #expect(pool.acquireAtOnce(key: b, now: start) != nil)
    #expect(pool.release(lease: first.lease, isUsable: true, now: start).grants.map(\.number) == [3])
    #expect(pool.waitingCount == 0)
  }

  @Test func `too many waiters are refused, in all and of one key`() throws {
    var pool = pool(size: 1, waiting: 3, waitingPerKey: 2)
    let (a, b) = (UUID(), UUID())
    let held = try grant(pool.acquire(waiter: 1, key: a, now: start))
    #expect(pool.acquire(waiter: 2, key: a, now: start) == .wait)
    #expect(pool.acquire(waiter: 3, key: a, now: start) == .wait)
    #expect(pool.acquire(waiter: 4, key: a, now: start) == .full)
    #expect(pool.acquire(waiter: 5, key: b, now: start) == .wait)
    #expect(pool.acquire(waiter: 6, key: nil, now: start) == .full)
    #expect(pool.waitingCount == 3)
    #expect(pool.release(lease: held.lease, isUsable: true, now: start).grants.map(\.number) == [2])
    #expect(pool.acquire(waiter: 7, key: a, now: start) == .wait)
  }

  @Test func `a waiter that left leaves no turn behind`() throws {
    var pool = pool(size: 1)
    let (a, b) = (UUID(), UUID())
    let held = try grant(pool.acquire(waiter: 1, key: nil, now: start))
    _ = pool.acquire(waiter: 2, key: a, now: start)
    _ = pool.acquire(waiter: 3, key: b, now: start)
    let gaveUp = pool.abandon(waiter: 2)
    #expect(gaveUp)
    #expect(pool.release(lease: held.lease, isUsable: true, now: start).grants.map(\.number) == [3])
    #expect(pool.nextDeadline == nil)
  }

  @Test func `old connections are closed instead of being used again`() throws {
    var pool = pool(lifetime: .seconds(10))
    let first = try grant(pool.acquire(waiter: 1, key: nil, now: start))
    let second = try grant(pool.acquire(waiter: 2, key: nil, now: start))
    #expect(pool.release(lease: first.lease, isUsable: true, now: start + .seconds(1)).closed.isEmpty)
    #expect(
      pool.release(lease: second.lease, isUsable: true, now: start + .seconds(11)).closed == [
        second.connection
      ]
    )
    let next = try grant(pool.acquire(waiter: 3, key: nil, now: start + .seconds(11)))
    #expect(next.isNew)
    #expect(next.retired == [first.connection])
  }

  @Test func `a closed pool drains`() throws {
    var pool = pool(size: 1)
    let held = try grant(pool.acquire(waiter: 1, key: nil, now: start))
    _ = pool.acquire(waiter: 2, key: nil, now: start)
    let (waiters, connections) = pool.close()
    #expect(waiters == [2])
    #expect(connections.isEmpty)
    #expect(pool.acquire(waiter: 3, key: nil, now: start) == .closed)
    let returned = pool.release(lease: held.lease, isUsable: true, now: start)
    #expect(returned.closed == [held.connection])
    #expect(returned.isDrained)
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
  func `limits hold, and everyone is served or turned away`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var pool = pool(size: 4, perKey: 2, waiting: 12, waitingPerKey: 6)
    let keys: [UUID?] = [nil, UUID(), UUID()]
    var now = start
    var held: [(lease: Int, connection: Int)] = []
    var waiting: Set<Int> = []
    for step in 0..<2000 {
      now += .milliseconds(Int.random(in: 0...400, using: &random))
      switch Int.random(in: 0...9, using: &random) {
      case 0...4:
        switch pool.acquire(waiter: step, key: keys.randomElement(using: &random) ?? nil, now: now) {
        case .lease(let grant): held.append((grant.lease, grant.connection))
        case .wait: waiting.insert(step)
        case .full: #expect(waiting.count >= 6)
        case .closed: Issue.record("closed")
        }
      case 5...8:
        guard let index = held.indices.randomElement(using: &random) else { continue }
        let returned = pool.release(
          lease: held.remove(at: index).lease,
          isUsable: Bool.random(using: &random),
          now: now
        )
        for waiter in returned.grants {
          #expect(waiting.remove(waiter.number) != nil)
          held.append((waiter.grant.lease, waiter.grant.connection))
        }
      default:
        for waiter in pool.expire(now: now) { #expect(waiting.remove(waiter) != nil) }
      }
      #expect(held.count <= 4)
      #expect(Set(held.map(\.connection)).count == held.count)
      #expect(pool.heldCount == held.count)
      #expect(pool.waitingCount == waiting.count)
      #expect(pool.heldCount + pool.idleCount <= 4)
    }
  }
}
