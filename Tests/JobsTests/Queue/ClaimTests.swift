import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct ClaimTests {
  @Test func `many claimers never get the same job`() async throws {
    try await JobFixture.open { fixture in
      for _ in 0..<60 { try await fixture.enqueue() }
      let claimed = try await withThrowingTaskGroup(of: [UUID].self) { group in
        for _ in 0..<8 {
          group.addTask {
            let worker = UUID()
            var ids: [UUID] = []
            while true {
              let jobs = try await fixture.claim(by: worker, limit: 3)
              if jobs.isEmpty { return ids }
              ids += jobs.map(\.id)
            }
          }
        }
        return try await group.reduce([]) { $0 + $1 }
      }
      #expect(claimed.count == 60)
      #expect(Set(claimed).count == 60)
    }
  }

  @Test func `jobs that were enqueued over months are claimed together, oldest first`() async throws {
    try await JobFixture.open { fixture in
      var jobs: [UUID] = []
      for weeks in [10, 3, 1, 0] {
        let id = try await fixture.enqueue()
        jobs.append(id)
        try await fixture.superuser.execute(
          "update core.job_queued set week = week - \(Int32(weeks * 7)) where id = \(id)"
        )
      }
      #expect(try await fixture.claim(by: UUID()).map(\.id) == jobs)
      #expect(try await fixture.claim(by: UUID()).isEmpty)
    }
  }

  @Test func `only due jobs of the queues and kinds asked for are claimed, the urgent first`() async throws {
    try await JobFixture.open { fixture in
      try await fixture.enqueue("test.other")
      try await fixture.enqueue(queue: "push")
      let now = try await fixture.superuser.value("select now()", as: Instant.self)
      try await fixture.enqueue(runAt: Instant(microseconds: now.microseconds + 3_600_000_000))
      let usual = try await fixture.enqueue()
      let urgent = try await fixture.enqueue(priority: 1)
      #expect(try await fixture.claim(by: UUID(), limit: 1).map(\.id) == [urgent])
      #expect(try await fixture.claim(by: UUID()).map(\.id) == [usual])
      #expect(try await fixture.claim(by: UUID()).isEmpty)
    }
  }

  @Test func `a claim counts the attempt and moves the fence`() async throws {
    try await JobFixture.open { fixture in
      let id = try await fixture.enqueue()
      let first = try #require(try await fixture.claim(by: UUID(), lease: .seconds(-1)).first)
      #expect(first.attempt == 1)
      #expect(try await fixture.queue.rescue() == 1)
      let second = try #require(try await fixture.claim(by: UUID()).first)
      #expect(second.id == id && second.attempt == 2 && second.fence > first.fence)
      #expect(first.claim != second.claim)
    }
  }

  @Test func `a payload comes with the claim, and is not to be read without one`() async throws {
    try await JobFixture.open { fixture in
      try await fixture.enqueue(payload: JSON(text: #"{"a": 1}"#))
      let job = try #require(try await fixture.claim(by: UUID()).first)
      #expect(job.subject.payload.text == #"{"a": 1}"#)
      #expect(job.subject.traceID == "trace")
      let all = try await fixture.workers.rows("select job_id from core.job_payload", UUID.self)
      #expect(all.isEmpty)
    }
  }
}
