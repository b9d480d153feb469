import Store
import Testing

@testable import API

@Suite struct RateLeasesTests {
  private let start = ContinuousClock.now
  private let key = RateLeases.Key(
    rule: RateRule("test", count: 100, per: .seconds(100), block: 3),
    subject: RateSubject("ana")
  )

  private func grant(_ granted: Int, retryAfter: Duration = .zero) -> RateStore.Grant {
    RateStore.Grant(granted: granted, retryAfter: retryAfter, remaining: 0, resetAfter: .seconds(100))
  }

  private func isGranted(_ turn: RateLeases.Turn?) -> Bool {
    if case .granted = turn { true } else { false }
  }

  private func isRefused(_ turn: RateLeases.Turn?) -> Bool {
    if case .refused = turn { true } else { false }
  }

  /// Takes a permit with a round for one caller.
  private func round(_ leases: inout RateLeases, _ grant: RateStore.Grant) -> RateLeases.Turn? {
    leases.wait(key, waiter: 1)
    return leases.granted(leases.begin()[0], grant, now: start)[1]
  }

  @Test func `a block is spent from memory before the database is asked again`() {
    var leases = RateLeases()
    #expect(leases.take(key, now: start) == nil)
    #expect(isGranted(round(&leases, grant(3))))
    #expect(isGranted(leases.take(key, now: start)))
    #expect(isGranted(leases.take(key, now: start)))
    #expect(leases.take(key, now: start) == nil)
  }

  @Test func `a round takes a block, or a permit for each of those that wait`() {
    var leases = RateLeases()
    leases.wait(key, waiter: 1)
    #expect(leases.begin().map(\.wanted) == [3])
    for waiter in 1...5 { leases.wait(key, waiter: waiter) }
    let share = leases.begin()[0]
    #expect(share.wanted == 5)
    #expect(leases.begin().isEmpty)
    let turns = leases.granted(share, grant(4, retryAfter: .seconds(1)), now: start)
    #expect((1...4).allSatisfy { isGranted(turns[$0]) } && isRefused(turns[5]))
  }

  @Test
  func `those that come during a round get the permits that are left, and otherwise wait for the next one`() {
    var leases = RateLeases()
    leases.wait(key, waiter: 1)
    let share = leases.begin()[0]
    for waiter in 2...5 { leases.wait(key, waiter: waiter) }
    let turns = leases.granted(share, grant(3), now: start)
    #expect(turns.keys.sorted() == [1, 2, 3] && turns.values.allSatisfy(isGranted))
    #expect(leases.begin().map(\.waiters) == [[4, 5]])
  }

  @Test func `no permit of an exact rule is kept`() {
    var leases = RateLeases()
    let exact = RateLeases.Key(
      rule: .exact("test", count: 100, per: .seconds(100)),
      subject: RateSubject("ana")
    )
    for waiter in 1...2 { leases.wait(exact, waiter: waiter) }
    #expect(leases.granted(leases.begin()[0], grant(2), now: start).count == 2)
    #expect(leases.take(exact, now: start) == nil)
  }

  @Test func `a limit that is used up costs nothing until a permit comes back`() {
    var leases = RateLeases()
    #expect(isRefused(round(&leases, grant(0, retryAfter: .seconds(5)))))
    #expect(isRefused(leases.take(key, now: start + .seconds(4))))
    #expect(leases.take(key, now: start + .seconds(5)) == nil)
  }

  @Test func `the memory is bounded, and forgetting grants nothing`() {
    var leases = RateLeases(capacity: 10)
    let rule = key.rule
    for number in 0..<1_000 {
      let key = RateLeases.Key(rule: rule, subject: RateSubject("\(number)"))
      leases.wait(key, waiter: number)
      _ = leases.granted(leases.begin()[0], grant(3), now: start)
    }
    #expect(leases.count <= 20)
    #expect(leases.take(RateLeases.Key(rule: rule, subject: RateSubject("0")), now: start) == nil)
  }

  @Test func `rules and subjects are limited apart`() {
    var leases = RateLeases()
    let other = RateLeases.Key(
      rule: RateRule("other", count: 1, per: .seconds(1)),
      subject: RateSubject("ana")
    )
    #expect(isGranted(round(&leases, grant(3))))
    #expect(leases.take(other, now: start) == nil)
    leases.wait(key, waiter: 1)
    leases.wait(other, waiter: 2)
    #expect(leases.begin().count == 2)
  }
}
