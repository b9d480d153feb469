import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// Rows of other weeks, and the startup scan of a new worker.
extension ShortBatchTests {
  @Test func `a row of a transaction that began in the week before and commits late is claimed`()
    async throws
  {
    try await JobFixture.open { fixture in
      let worker = UUID()
      let (enqueued, go) = (Latch(), Latch())
      let slow = Task {
        try await fixture.superuser.transaction { tx in
          let id = try enqueue(weeks: -1, fixture, tx)
          enqueued.note()
          go.wait()
          return id
        }
      }
      try await until { enqueued.isNoted }
      // Until the transaction was in progress at the claim before the last.
      for _ in 0..<3 {
        let id = try await fixture.enqueue()
        #expect(try await fixture.claim(by: worker).map(\.id) == [id])
      }
      go.note()
      let late = try await slow.value
      let id = try await fixture.enqueue()
      let last = try await fixture.claim(by: worker) + fixture.claim(by: worker)
      #expect(Set(last.map(\.id)) == [late, id] && last.count == 2)
    }
  }

  @Test func `a row of another week is claimed once`() async throws {
    try await JobFixture.open { fixture in
      let worker = UUID()
      for weeks in [-1, 0, -1, 0, 1, 0, 1] {
        let id = try await fixture.superuser.transaction { tx in try enqueue(weeks: weeks, fixture, tx) }
        #expect(try await fixture.claim(by: worker).map(\.id) == [id])
        #expect(try await fixture.claim(by: worker).isEmpty)
      }
    }
  }

  @Test func `a row enqueued by a clock that was ahead is claimed from a lane without other rows`()
    async throws
  {
    try await JobFixture.open { fixture in
      // No earlier claim or row of the lane makes the short batch leave it to the general function.
      let id = try await fixture.superuser.transaction { tx in try enqueue(weeks: 1, fixture, tx) }
      #expect(try await fixture.claim(by: UUID()).map(\.id) == [id])
    }
  }

  @Test(arguments: [-1, 1]) func `a row claimed in another week is not claimed again`(weeks: Int)
    async throws
  {
    try await JobFixture.open { fixture in
      let worker = UUID()
      try await fixture.enqueue()
      #expect(try await fixture.claim(by: worker).count == 1)
      try await fixture.superuser.execute(
        """
        update core.job_claim set week = week + 7 * \(Int32(weeks)), last_week = last_week + 7 * \(Int32(weeks))
        """
      )
      let id = try await fixture.enqueue()
      // A worker that has not seen the lane.
      let taken = try await JobQueue(fixture.workers).claim(
        worker: worker,
        queues: ["default"],
        kinds: ["test.job"],
        limit: 10,
        lease: .seconds(60)
      )
      #expect(taken.map(\.id) == [id])
    }
  }

  @Test func `the startup scan finds the lanes with jobs of any week, and no empty ones`() async throws {
    try await JobFixture.open { fixture in
      // For some of the weeks, no partition was opened.
      let weeks = [-20, -3, -1, 0, 1, 20]
      let kinds = weeks.indices.map { "test.week_\($0)" }
      /// Returns the number of lanes that a new worker finds.
      func found() async throws -> Int {
        try await JobQueue(fixture.workers).poll(queues: ["default"], kinds: Set(kinds)).new
      }
      #expect(try await found() == 0)
      let ids = try await fixture.superuser.transaction { tx in
        try zip(weeks, kinds).map { week, kind in try enqueue(weeks: week, kind: kind, fixture, tx) }
      }
      #expect(try await found() == weeks.count)
      #expect(Set(try await fixture.claim(by: UUID(), kinds: kinds).map(\.id)) == Set(ids))
      #expect(try await found() == 0)
      let later = try await fixture.superuser.transaction { tx in
        [
          try enqueue(weeks: 0, kind: kinds[1], fixture, tx),
          try enqueue(weeks: 0, kind: kinds[3], fixture, tx),
        ]
      }
      #expect(try await found() == 2)
      #expect(Set(try await fixture.claim(by: UUID(), kinds: kinds).map(\.id)) == Set(later))
      #expect(try await found() == 0)
    }
  }

  @Test func `the startup scan finds rows that were committed late, behind claimed ones`() async throws {
    try await JobFixture.open { fixture in
      let (enqueued, go) = (Latch(), Latch())
      let slow = Task {
        try await fixture.superuser.transaction { tx in
          let id = try enqueue(weeks: 0, fixture, tx)
          enqueued.note()
          go.wait()
          return id
        }
      }
      try await until { enqueued.isNoted }
      try await fixture.enqueue()
      #expect(try await fixture.claim(by: UUID()).count == 1)
      go.note()
      let late = try await slow.value
      let taken = try await JobQueue(fixture.workers).claim(
        worker: UUID(),
        queues: ["default"],
        kinds: ["test.job"],
        limit: 10,
        lease: .seconds(60)
      )
      #expect(taken.map(\.id) == [late])
    }
  }
}
