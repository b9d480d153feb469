import Domain
import EngineFixtures
import FoundationEssentials
import Glibc
import Postgres
import Store
import Synchronization
import TestDatabase
import Testing

/// Jobs of workers that died or stopped during work, and of servers that crashed.
@Suite(.serialized, .timeLimit(.minutes(60))) struct DeathTests {
  @Test func `a job that was claimed but not started by workers that died is not dead`() async throws {
    try await JobFixture.open { fixture in
      let id = try await fixture.enqueue(maxAttempts: 1)
      for _ in 0..<3 {
        #expect(try await fixture.claim(by: UUID(), lease: .zero).map(\.id) == [id])
        #expect(try await fixture.queue.rescue() == 1)
        let job = try #require(try await fixture.job(id))
        #expect(job.state == .queued && job.attempt == 0)
      }
      let worker = UUID()
      let job = try #require(try await fixture.claim(by: worker).first)
      #expect(job.isAlone)
      #expect(try await fixture.queue.begin(job, worker: worker))
      try await fixture.expire(worker)
      #expect(try await fixture.queue.rescue() == 1)
      #expect(try await fixture.job(id)?.state == .dead)
      #expect(try await fixture.attempts(id).map(\.outcome) == [.lost])
      // A late start is refused.
      #expect(try await !fixture.queue.begin(job, worker: worker))
    }
  }

  @Test func `a worker whose lease expired unnoticed keeps its claims, and no job is lost`() async throws {
    try await JobFixture.open { fixture in
      let first = try await fixture.enqueue()
      let worker = UUID()
      let held = try #require(try await fixture.claim(by: worker).first)
      // The worker slept, or the server was unreachable, and no worker was there to rescue the claim.
      try await fixture.expire(worker)
      let second = try await fixture.enqueue()
      #expect(try await fixture.claim(by: worker).map(\.id) == [second])
      #expect(!held.isLost)
      try await fixture.queue.heartbeat(worker: worker, lease: .seconds(60))
      // If the worker dies now, both jobs are rescued.
      try await fixture.expire(worker)
      #expect(try await fixture.queue.rescue() == 2)
      for id in [first, second] { #expect(try await fixture.job(id)?.state == .retrying) }
    }
  }

  @Test func `a worker that stops while it ends a job does not block the rescue`() async throws {
    try await JobFixture.open { fixture in
      let id = try await fixture.enqueue()
      let (worker, rescuer) = (UUID(), JobQueue(fixture.workers))
      let job = try #require(
        try await fixture.queue.claim(
          worker: worker,
          queues: ["default"],
          kinds: ["test.job"],
          limit: 1,
          lease: .seconds(5)
        ).first
      )
      let pause = Pause()
      let ended = Task {
        try await fixture.queue.complete(job, worker: worker) { tx in
          _ = try tx.value("select 1", as: Int.self)
          pause.isInside.store(true, ordering: .releasing)
          // Blocks like a stopped process, but not forever.
          let limit = ContinuousClock.now + .seconds(120)
          while !pause.goesOn.load(ordering: .acquiring), ContinuousClock.now < limit { usleep(1_000) }
          try fixture.leaveTrace(tx)
        }
      }
      try await until { pause.isInside.load(ordering: .acquiring) }
      try await fixture.expire(worker)
      let freed = try await rescuer.rescue()
      pause.goesOn.store(true, ordering: .releasing)
      #expect(freed == 1)
      await #expect(throws: PostgresError.self) { _ = try await ended.value }
      #expect(try await fixture.traces() == 0)
      #expect(try await fixture.claim(by: UUID()).map(\.id) == [id])
    }
  }

  @Test func `the holder of a claim that a crash lost does not acknowledge the claim that replaced it`()
    async throws
  {
    try await JobFixture.open { fixture in
      let first = try await fixture.enqueue()
      let worker = UUID()
      let before = try #require(try await fixture.claim(by: worker).first)
      // A claim does not wait for the disk, so a crash may lose it.
      try await fixture.superuser.execute("delete from core.job_claim")
      let second = try await fixture.enqueue()
      fixture.queue.forgetLanes()
      let after = try await fixture.claim(by: worker)
      #expect(after.map(\.id) == [first, second])
      // The first job is ended twice: under the lost claim and under the present one.
      #expect(try await !fixture.queue.complete(before, worker: worker, effects: fixture.leaveTrace))
      try await fixture.queue.acknowledge(worker: worker)
      for id in [first, second] { #expect(try await fixture.job(id)?.state == .running) }
      for job in after {
        #expect(try await fixture.queue.complete(job, worker: worker, effects: fixture.leaveTrace))
      }
      #expect(try await fixture.traces() == 2)
    }
  }

  @Test func `a poll in progress does not undo that lanes were forgotten`() async throws {
    try await JobFixture.open { fixture in
      let slow = fixture.database.connect(as: "fettle_worker", poolSize: 1)
      let queue = JobQueue(slow)
      try await queue.poll(queues: ["default"], kinds: ["test.job"])
      let id = try await fixture.enqueue()
      // Another worker claims it, and a crash loses the claim: no poll for new rows will find the job.
      _ = try await fixture.claim(by: UUID())
      try await queue.poll(queues: ["default"], kinds: ["test.job"])
      let taken = try await queue.take(worker: UUID(), queues: ["default"], limit: 1, lease: .seconds(60))
      #expect(taken.jobs.isEmpty && !queue.hasLanes)
      try await fixture.superuser.execute("delete from core.job_claim")
      // The poll waits for the only connection while lanes are forgotten.
      let pause = Pause()
      async let held: Int = slow.transaction { tx in
        pause.isInside.store(true, ordering: .releasing)
        while !pause.goesOn.load(ordering: .acquiring) { sched_yield() }
        return try tx.value("select 1", as: Int.self)
      }
      try await until { pause.isInside.load(ordering: .acquiring) }
      async let polled = queue.poll(queues: ["default"], kinds: ["test.job"], enqueuesDue: false)
      try await Task.sleep(for: .milliseconds(100))
      queue.forgetLanes()
      pause.goesOn.store(true, ordering: .releasing)
      _ = try await (held, polled)
      try await queue.poll(queues: ["default"], kinds: ["test.job"])
      let again = try await queue.take(worker: UUID(), queues: ["default"], limit: 1, lease: .seconds(60))
      #expect(again.jobs.map(\.id) == [id])
      await slow.close()
    }
  }
}

/// Pauses a transaction in the middle.
private final class Pause: Sendable {
  let isInside = Atomic(false)
  let goesOn = Atomic(false)
}
