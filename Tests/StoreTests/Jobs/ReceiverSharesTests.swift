import FoundationEssentials
import Testing

@testable import Store

/// The places of a worker for jobs that wait for servers of customers.
@Suite struct ReceiverSharesTests {
  private typealias Key = JobRules.TokenKey
  private let start = ContinuousClock.now

  /// Companies with running jobs, on a clock that the test moves.
  private struct Places {
    var shares: ReceiverShares
    var now: ContinuousClock.Instant
    var used: [Key: Int] = [:]

    func room(_ key: Key) -> Int {
      shares.room(for: key, limit: 4, all: used.values.reduce(0, +), at: now) { used[$0] ?? 0 }
    }

    /// Begins as many jobs as there is room for, at most a number, and returns how many.
    @discardableResult
    mutating func begin(_ key: Key, _ most: Int = 100) -> Int {
      let count = min(most, room(key))
      guard count > 0 else { return 0 }
      used[key, default: 0] += count
      shares.begin(key, count, at: now)
      return count
    }

    mutating func end(_ key: Key) {
      let count = used.removeValue(forKey: key) ?? 0
      shares.end(key, count, at: now)
    }
  }

  private func places(_ count: Int) -> Places {
    Places(shares: ReceiverShares(kinds: ["x"], places: count), now: start)
  }

  private func key() -> Key { Key(limit: UUID(), company: UUID(), kind: "x") }

  @Test func `a new company begins with one place`() {
    var places = places(64)
    let company = key()
    #expect(places.begin(company) == 1)
    #expect(places.room(company) == 0)
    places.now += .milliseconds(20)
    places.end(company)
    #expect(places.room(company) == 4)
  }

  @Test func `a new company whose first job goes on has one place, however long it takes`() {
    for seconds in [0.5, 1.05, 1.5, 3, 60] {
      var places = places(64)
      let company = key()
      places.begin(company)
      places.now += .seconds(seconds)
      #expect(places.room(company) == 0, "after \(seconds) s")
    }
  }

  @Test(arguments: [(0.2, 4), (1.0, 4), (1.5, 2), (2.0, 2), (4.0, 1), (14.0, 1), (600.0, 1)])
  func `the share of a company shrinks as its latency grows`(latency: Double, share: Int) {
    var places = places(64)
    let company = key()
    places.begin(company)
    places.now += .seconds(latency)
    places.end(company)
    #expect(places.room(company) == share)
  }

  @Test func `a receiver that becomes quick again gets its share back over some jobs`() {
    var places = places(64)
    let company = key()
    places.begin(company)
    places.now += .seconds(14)
    places.end(company)
    var jobs = 0
    while places.room(company) < 4, jobs < 100 {
      places.begin(company, 1)
      places.now += .milliseconds(10)
      places.end(company)
      jobs += 1
    }
    #expect((5...15).contains(jobs))
  }

  @Test func `late companies, however many, leave places to the others`() {
    var places = places(16)
    let prompt = key()
    places.begin(prompt)
    places.end(prompt)
    let late = (0..<100).map { _ in key() }
    for company in late { places.begin(company) }
    // New companies leave an eighth.
    #expect(places.used.values.reduce(0, +) == 14)
    #expect(places.room(prompt) == 2)
    places.now += .seconds(14)
    for company in late { places.end(company) }
    for company in late { places.begin(company) }
    for company in late { places.begin(company) }
    // Those that were late leave a quarter, and the others of which nothing is known an eighth.
    let known = places.used.filter { late.prefix(14).contains($0.key) }.values.reduce(0, +)
    #expect(known <= 12)
    #expect(places.used.values.reduce(0, +) == 14)
    #expect(places.room(prompt) == 2)
  }

  @Test func `a job that still runs is late when it has run for long`() {
    var places = places(8)
    let late = (0..<6).map { _ in key() }
    for company in late { places.begin(company) }
    places.now += .seconds(2)
    // Six late jobs are the most that late companies may have.
    let known = key()
    places.shares.begin(known, 1, at: places.now - .seconds(5))
    places.shares.end(known, 1, at: places.now)
    #expect(places.room(known) == 0)
    #expect(places.room(key()) == 1)
  }

  @Test func `a limit of an operator replaces the share, not the places`() {
    let places = places(8)
    let room = places.shares.room(for: key(), limit: nil, all: 0, at: start) { _ in 0 }
    #expect(room == 7)
  }
}
