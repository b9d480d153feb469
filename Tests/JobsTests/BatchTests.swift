import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// Jobs that were claimed together, when their worker dies or hands them back.
@Suite(.serialized, .timeLimit(.minutes(30))) struct BatchTests {
  @Test func `after a death the survivors are claimed alone, so that only the culprit is blamed`()
    async throws
  {
    try await JobRoom.open { room in
      var ids: [UUID] = []
      for _ in 0..<4 { ids.append(try await room.enqueue(maxAttempts: 2)) }
      let poison = ids[2]
      #expect(try await room.claim(by: UUID(), lease: .zero).count == 4)
      #expect(try await room.queue.rescue() == 4)
      // The culprit is not known yet, so no job has used an attempt.
      for id in ids { #expect(try await room.job(id)?.attempt == 0) }
      var done: Set<UUID> = []
      var deaths = 0
      while done.count < 3 || deaths < 2 {
        let worker = UUID()
        let jobs = try await room.claim(by: worker, limit: 1)
        let job = try #require(jobs.first)
        #expect(jobs.count == 1 && job.isAlone)
        if job.id == poison {
          #expect(try await room.queue.begin(job, worker: worker))
          try await room.expire(worker)
          #expect(try await room.queue.rescue() == 1)
          deaths += 1
        } else {
          #expect(try await room.queue.complete(job, worker: worker) { _ in })
          done.insert(job.id)
        }
      }
      #expect(try await room.job(poison)?.state == .dead)
      #expect(try await room.attempts(poison).map(\.outcome) == [.lost, .lost])
      #expect(done == Set(ids).subtracting([poison]))
      #expect(try await room.claim(by: UUID()).isEmpty)
    }
  }

  @Test func `a job that has to be alone is not forgotten behind others of its lane`() async throws {
    try await JobRoom.open { room in
      let survivor = try await room.enqueue()
      #expect(try await room.claim(by: UUID(), lease: .zero).count == 1)
      let other = try await room.enqueue()
      // The survivor is behind the other job in its lane. Both are found, but claimed separately.
      #expect(try await room.queue.rescue() == 1)
      let jobs = try await room.claim(by: UUID())
      #expect(jobs.map(\.id) == [other, survivor])
    }
  }

  @Test func `jobs finished before the death stay finished, and the rest runs once more`() async throws {
    try await JobRoom.open { room in
      for _ in 0..<3 { try await room.enqueue() }
      let worker = UUID()
      let jobs = try await room.claim(by: worker)
      #expect(try await room.queue.complete(jobs[0], worker: worker, effects: room.leaveTrace))
      #expect(try await room.queue.fail(jobs[1], worker: worker, error: "no", retryAfter: .seconds(3_600)))
      try await room.expire(worker)
      #expect(try await room.queue.rescue() == 1)
      let again = try await room.claim(by: UUID())
      #expect(again.map(\.id) == [jobs[2].id])
      #expect(try await room.job(jobs[0].id)?.state == .succeeded)
      #expect(try await room.job(jobs[1].id)?.state == .retrying)
      #expect(try await room.traces() == 1)
    }
  }

  @Test func `a claim is acknowledged by its last job, and not before`() async throws {
    try await JobRoom.open { room in
      for _ in 0..<2 { try await room.enqueue() }
      let worker = UUID()
      let jobs = try await room.claim(by: worker)
      func acknowledgements() async throws -> [String] {
        try await room.superuser.rows("select s.outcome from core.job_ack s", String.self)
      }
      #expect(try await room.queue.complete(jobs[1], worker: worker) { _ in })
      #expect(try await acknowledgements().isEmpty)
      #expect(try await room.queue.complete(jobs[0], worker: worker) { _ in })
      #expect(try await acknowledgements() == ["finished"])
      try await room.expire(worker)
      #expect(try await room.queue.rescue() == 0)
    }
  }

  @Test func `a job whose outcome could not be written is handed back at the next heartbeat`() async throws {
    try await JobRoom.open { room in
      let id = try await room.enqueue()
      let worker = UUID()
      let job = try #require(try await room.claim(by: worker).first)
      // The job was given up, though the worker lives.
      room.queue.abandon(job)
      try await room.queue.heartbeat(worker: worker, lease: .seconds(60))
      let again = try #require(try await room.claim(by: worker).first)
      #expect(again.id == id && again.attempt == 2)
      #expect(try await room.attempts(id).map(\.outcome) == [.lost])
    }
  }

  @Test func `a worker can read its unacknowledged claims of a batch`() async throws {
    try await JobRoom.open { room in
      for _ in 0..<2 { try await room.enqueue() }
      let worker = UUID()
      let jobs = try await room.claim(by: worker, limit: 1) + room.claim(by: worker, limit: 1)
      func open(_ batches: ClosedRange<Int64>) async throws -> [Int64] {
        try await room.workers.rows(
          "select o.no from core.open_claims(\(worker), \(Array(batches))) o order by o.no",
          Int64.self
        )
      }
      #expect(try await open(1...9) == jobs.map(\.fence))
      #expect(try await room.queue.complete(jobs[0], worker: worker) { _ in })
      #expect(try await open(1...9) == [jobs[1].fence])
    }
  }

  @Test func `a job cancelled before it is claimed is left out, and can be retried`() async throws {
    try await JobRoom.open { room in
      let off = try await room.enqueue()
      let other = try await room.enqueue()
      let isOff = try await room.services.database.transaction(.inside(room.company)) { tx in
        try JobListing.cancel(company: room.company, id: off, tx)
      }
      #expect(isOff)
      #expect(try await room.job(off)?.state == .cancelled)
      let worker = UUID()
      let jobs = try await room.claim(by: worker)
      #expect(jobs.map(\.id) == [other])
      let isBack = try await room.services.database.transaction(.inside(room.company)) { tx in
        try JobListing.retry(company: room.company, id: off, tx)
      }
      #expect(isBack)
      #expect(try await room.claim(by: worker).map(\.id) == [off])
    }
  }

  @Test func `a key admits one open job of a kind, and another when that has ended`() async throws {
    try await JobRoom.open { room in
      func enqueue() async throws {
        let job = NewJob(id: UUID(), kind: "test.job", payload: JSON(text: "{}"), uniqueKey: "one")
        try await room.services.database.transaction(.inside(room.company)) { tx in
          try JobOutbox.write([job], company: room.company, traceID: nil, tx)
        }
      }
      for _ in 0..<3 { try await enqueue() }
      let worker = UUID()
      let first = try await room.claim(by: worker)
      #expect(first.count == 1)
      try await enqueue()
      #expect(try await room.claim(by: worker).isEmpty, "one is running")
      #expect(try await room.queue.complete(first[0], worker: worker) { _ in })
      try await enqueue()
      let second = try await room.claim(by: worker)
      #expect(second.count == 1)
      #expect(try await room.queue.fail(second[0], worker: worker, error: "no", retryAfter: nil))
      try await enqueue()
      #expect(try await room.claim(by: worker).count == 1, "a dead job holds no key")
    }
  }
}
