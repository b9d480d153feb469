import Store
import Testing

@testable import API

@Suite struct RateLeasesTests {
  private let start = ContinuousClock.now
  private let key = RateLeases.Key(
    rule: RateRule("test", count: 100, per: .seconds(100), block: 3),
    subject: "ana"
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

  @Test func `a block is spent from memory before the database is asked again`() {
    var leases = RateLeases()
    #expect(leases.take(key, waiter: 1, now: start) == .lease)
    #expect(isGranted(leases.leased(key, grant: grant(3), now: start).own))
    #expect(isGranted(leases.take(key, waiter: 2, now: start)))
    #expect(isGranted(leases.take(key, waiter: 3, now: start)))
    #expect(leases.take(key, waiter: 4, now: start) == .lease)
  }

  @Test func `one lease at a time is under way, and the others wait for its result`() {
    var leases = RateLeases()
    #expect(leases.take(key, waiter: 1, now: start) == .lease)
    for waiter in 2...6 { #expect(leases.take(key, waiter: waiter, now: start) == .wait) }
    let result = leases.leased(key, grant: grant(3), now: start)
    #expect(isGranted(result.own) && isGranted(result.others[2]) && isGranted(result.others[3]))
    // The block was whole, so there may be more: the next one leases, and the rest waits for it.
    #expect(result.others[4] == .lease)
    #expect(result.others[5] == nil)
    let last = leases.leased(key, grant: grant(2, retryAfter: .seconds(1)), now: start)
    #expect(isGranted(last.own) && isGranted(last.others[5]) && isRefused(last.others[6]))
  }

  @Test func `a limit that is used up costs nothing until a permit comes back`() {
    var leases = RateLeases()
    #expect(leases.take(key, waiter: 1, now: start) == .lease)
    #expect(isRefused(leases.leased(key, grant: grant(0, retryAfter: .seconds(5)), now: start).own))
    #expect(isRefused(leases.take(key, waiter: 2, now: start + .seconds(4))))
    #expect(leases.take(key, waiter: 3, now: start + .seconds(5)) == .lease)
  }

  @Test func `a caller that was cancelled passes the lease on, and an error fails all`() {
    var leases = RateLeases()
    #expect(leases.take(key, waiter: 1, now: start) == .lease)
    #expect(leases.take(key, waiter: 2, now: start) == .wait)
    #expect(leases.take(key, waiter: 3, now: start) == .wait)
    #expect(leases.failed(key, passOn: true).next == 2)
    #expect(leases.failed(key, passOn: false).failed == [3])
    #expect(leases.take(key, waiter: 4, now: start) == .lease)
  }

  @Test func `the memory is bounded, and forgetting grants nothing`() {
    var leases = RateLeases(capacity: 10)
    let rule = key.rule
    for number in 0..<1_000 {
      let key = RateLeases.Key(rule: rule, subject: "\(number)")
      #expect(leases.take(key, waiter: number, now: start) == .lease)
      _ = leases.leased(key, grant: grant(3), now: start)
    }
    #expect(leases.count <= 20)
    #expect(leases.take(RateLeases.Key(rule: rule, subject: "0"), waiter: 0, now: start) == .lease)
  }

  @Test func `rules and subjects are limited apart`() {
    var leases = RateLeases()
    let other = RateLeases.Key(rule: RateRule("other", count: 1, per: .seconds(1)), subject: "ana")
    #expect(leases.take(key, waiter: 1, now: start) == .lease)
    #expect(leases.take(other, waiter: 2, now: start) == .lease)
  }
}
