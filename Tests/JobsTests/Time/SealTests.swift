import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// The daily digest over the heads of all chains.
@Suite(.serialized, .timeLimit(.minutes(60))) struct SealTests {
  @Test func `a day is sealed once, and each seal covers the one before`() async throws {
    try await JobFixture.open { fixture in
      let time = try await Timekeeping(fixture)
      try await age(fixture, days: 3)
      let first = try #require(try await seal(fixture))
      #expect(first.recordCount == 3)
      #expect(try await seal(fixture) == nil)
      try await fixture.superuser.execute("update core.history_seal set sealed_on = sealed_on - 1")
      _ = try await time.shop.add()
      let second = try #require(try await seal(fixture))
      // The newest entries are not covered yet: a transaction that began earlier might still commit.
      #expect(second.recordCount == 3)
      let kept = try await fixture.superuser.transaction { tx in
        try KeptSeal.all(company: fixture.company, tx)
      }
      #expect(kept.map(\.seal.digest) == [first.digest, second.digest])
      #expect(kept.map(\.previous) == [[], first.digest])
      #expect(first.digest != second.digest)
    }
  }

  @Test func `later history leaves the sealed part unchanged`() async throws {
    try await JobFixture.open { fixture in
      let time = try await Timekeeping(fixture)
      try await age(fixture, days: 3)
      let seal = try #require(try await seal(fixture))
      try await time.shop.take("start")
      _ = try await time.shop.add()
      #expect(try await compute(fixture, seal) == seal)
    }
  }

  @Test(arguments: [
    // A shortened chain, two exchanged rows, a record deleted with its chain, a replaced head.
    "delete from core.history where record_type = 'maintenance.entry' and seq = 2",
    """
    update core.history h set hash = o.hash from core.history o
    where h.record_type = 'maintenance.entry' and h.seq = 2 and o.record_type = 'maintenance.machine'
    """,
    "delete from core.history where record_type = 'maintenance.category'",
    "update core.history set hash = set_bit(hash, 7, 1 - get_bit(hash, 7)) where record_type = 'maintenance.machine'",
  ])
  func `a seal detects changes that a chain alone does not`(tampering: String) async throws {
    try await JobFixture.open { fixture in
      let time = try await Timekeeping(fixture)
      try await time.shop.take("start")
      try await age(fixture, days: 3)
      let seal = try #require(try await seal(fixture))
      #expect(try await compute(fixture, seal) == seal)
      try await fixture.superuser.execute(SQL(trusted: tampering))
      #expect(try await compute(fixture, seal) != seal)
    }
  }

  /// Moves all history back by some days.
  private func age(_ fixture: JobFixture, days: Int32) async throws {
    try await fixture.superuser.execute(
      "update core.history set occurred_at = occurred_at - make_interval(days => \(days))"
    )
  }

  private func seal(_ fixture: JobFixture) async throws -> HistorySeal? {
    try await fixture.workers.transaction(.inside(fixture.company)) { tx in
      try KeptSeal.add(company: fixture.company, tx)
    }
  }

  private func compute(_ fixture: JobFixture, _ seal: HistorySeal) async throws -> HistorySeal {
    try await fixture.workers.transaction(.inside(fixture.company)) { tx in
      try HistorySeal.compute(until: seal.until, previous: [], tx)
    }
  }
}
