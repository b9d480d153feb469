import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// Jobs that were claimed together, when their worker dies or hands them back.
@Suite(.serialized, .timeLimit(.minutes(60))) struct BatchTests {
  @Test func `after a death the survivors are claimed alone, so that only the culprit is blamed`()
    async throws
  {
    try await JobFixture.open { fixture in
      var ids: [UUID] = []
      for _ in 0..<4 { ids.append(try await fixture.enqueue(maxAttempts: 2)) }
      let poison = ids[2]
      #expect(try await fixture.claim(by: UUID(), lease: .zero).count == 4)
      #expect(try await fixture.queue.rescue() == 4)
      // The culprit is not known yet, so no job has used an attempt.
      for id in ids { #expect(try await fixture.job(id)?.attempt == 0) }
      var done: Set<UUID> = []
      var deaths = 0
      while done.count < 3 || deaths < 2 {
        let worker = UUID()
        let jobs = try await fixture.claim(by: worker, limit: 1)
        let job = try #require(jobs.first)
        #expect(jobs.count == 1 && job.isAlone)
        if job.id == poison {
          #expect(try await fixture.queue.begin(job, worker: worker))
          try await fixture.expire(worker)
          #expect(try await fixture.queue.rescue() == 1)
          deaths += 1
        } else {
          #expect(try await fixture.queue.complete(job, worker: worker) { _ in })
          done.insert(job.id)
        }
      }
      #expect(try await fixture.job(poison)?.state == .dead)
      #expect(try await fixture.attempts(poison).map(\.outcome) == [.lost, .lost])
      #expect(done == Set(ids).subtracting([poison]))
      #expect(try await fixture.claim(by: UUID()).isEmpty)
    }
  }

  @Test func `a job that has to be alone is not forgotten behind others of its lane`() async throws {
    try await JobFixture.open { fixture in
      let survivor = try await fixture.enqueue()
      #expect(try await fixture.claim(by: UUID(), lease: .zero).count == 1)
      let other = try await fixture.enqueue()
      // The survivor is behind the other job in its lane. Both are found, but claimed separately.
      #expect(try await fixture.queue.rescue() == 1)
      let jobs = try await fixture.claim(by: UUID())
      #expect(jobs.map(\.id) == [other, survivor])
    }
  }

  @Test func `jobs finished before the death stay finished, and the rest runs once more`() async throws {
    try await JobFixture.open { fixture in
      for _ in 0..<3 { try await fixture.enqueue() }
      let worker = UUID()
      let jobs = try await fixture.claim(by: worker)
      #expect(try await fixture.queue.complete(jobs[0], worker: worker, effects: fixture.leaveTrace))
      #expect(try await fixture.queue.fail(jobs[1], worker: worker, error: "no", retryAfter: .seconds(3_600)))
      try await fixture.expire(worker)
      #expect(try await fixture.queue.rescue() == 1)
      let again = try await fixture.claim(by: UUID())
      #expect(again.map(\.id) == [jobs[2].id])
      #expect(try await fixture.job(jobs[0].id)?.state == .succeeded)
      #expect(try await fixture.job(jobs[1].id)?.state == .retrying)
      #expect(try await fixture.traces() == 1)
    }
  }

  @Test func `a claim is acknowledged by its last job, and not before`() async throws {
    try await JobFixture.open { fixture in
      for _ in 0..<2 { try await fixture.enqueue() }
      let worker = UUID()
      let jobs = try await fixture.claim(by: worker)
      func acknowledgements() async throws -> [String] {
        try await fixture.superuser.rows("select s.outcome from core.job_ack s", String.self)
      }
      #expect(try await fixture.queue.complete(jobs[1], worker: worker) { _ in })
      #expect(try await acknowledgements().isEmpty)
      #expect(try await fixture.queue.complete(jobs[0], worker: worker) { _ in })
      #expect(try await acknowledgements() == ["finished"])
      try await fixture.expire(worker)
      #expect(try await fixture.queue.rescue() == 0)
    }
  }

  @Test func `a job whose outcome could not be written is handed back at the next heartbeat`() async throws {
    try await JobFixture.open { fixture in
      let id = try await fixture.enqueue()
      let worker = UUID()
      let job = try #require(try await fixture.claim(by: worker).first)
      // The job was given up, though the worker lives.
      fixture.queue.abandon(job)
      try await fixture.queue.heartbeat(worker: worker, lease: .seconds(60))
      let again = try #require(try await fixture.claim(by: worker).first)
      #expect(again.id == id && again.attempt == 2)
      #expect(try await fixture.attempts(id).map(\.outcome) == [.lost])
    }
  }

  @Test func `a worker can read its unacknowledged claims of a batch`() async throws {
    try await JobFixture.open { fixture in
      for _ in 0..<2 { try await fixture.enqueue() }
      let worker = UUID()
      let jobs = try await fixture.claim(by: worker, limit: 1) + fixture.claim(by: worker, limit: 1)
      func open(_ batches: ClosedRange<Int64>) async throws -> [Int64] {
        try await fixture.workers.rows(
          "select o.no from core.open_claims(\(worker), \(Array(batches))) o order by o.no",
          Int64.self
        )
      }
      #expect(try await open(1...9) == jobs.map(\.fence))
      #expect(try await fixture.queue.complete(jobs[0], worker: worker) { _ in })
      #expect(try await open(1...9) == [jobs[1].fence])
    }
  }

  @Test func `a job cancelled before it is claimed is left out, and can be retried`() async throws {
    try await JobFixture.open { fixture in
      let off = try await fixture.enqueue()
      let other = try await fixture.enqueue()
      let isOff = try await fixture.services.database.transaction(.inside(fixture.company)) { tx in
        try JobListing.cancel(company: fixture.company, id: off, tx)
      }
      #expect(isOff)
      #expect(try await fixture.job(off)?.state == .cancelled)
      let worker = UUID()
      let jobs = try await fixture.claim(by: worker)
      #expect(jobs.map(\.id) == [other])
      let isBack = try await fixture.services.database.transaction(.inside(fixture.company)) { tx in
        try JobListing.retry(company: fixture.company, id: off, tx)
      }
      #expect(isBack)
      #expect(try await fixture.claim(by: worker).map(\.id) == [off])
    }
  }

  @Test func `a key admits one open job of a kind, and another when that has ended`() async throws {
    try await JobFixture.open { fixture in
      func enqueue() async throws {
        let job = NewJob(id: UUID(), kind: "test.job", payload: JSON(text: "{}"), uniqueKey: "one")
        try await fixture.services.database.transaction(.inside(fixture.company)) { tx in
          try JobOutbox.write([job], company: fixture.company, traceID: nil, tx)
        }
      }
      for _ in 0..<3 { try await enqueue() }
      let worker = UUID()
      let first = try await fixture.claim(by: worker)
      #expect(first.count == 1)
      try await enqueue()
      #expect(try await fixture.claim(by: worker).isEmpty, "one is running")
      #expect(try await fixture.queue.complete(first[0], worker: worker) { _ in })
      try await enqueue()
      let second = try await fixture.claim(by: worker)
      #expect(second.count == 1)
      #expect(try await fixture.queue.fail(second[0], worker: worker, error: "no", retryAfter: nil))
      try await enqueue()
      #expect(try await fixture.claim(by: worker).count == 1, "a dead job holds no key")
    }
  }
}
