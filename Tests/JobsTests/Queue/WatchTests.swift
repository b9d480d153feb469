import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Jobs
import Postgres
import Store
import Synchronization
import TestDatabase
import Testing

/// A worker's handling of jobs that are cancelled, limited, paused, or that do not end.
@Suite(.serialized, .timeLimit(.minutes(60))) struct WatchTests {
  @Test func `a running job that is cancelled is ended, and its effects are not written`() async throws {
    try await JobFixture.open { fixture in
      let id = try await fixture.enqueue()
      let barrier = Barrier()
      let handlers = HandlerTable(
        TestHandler { _ in
          try await barrier.pass()
          return JobEffects(fixture.leaveTrace)
        }
      )
      try await fixture.working(fixture.worker(handlers)) {
        try await until { barrier.arrivals == 1 }
        try await JobAdministration(fixture.services).perform(.cancel, fixture.operatorContext, id: id)
        try await fixture.reach(.cancelled, id)
      }
      #expect(try await fixture.traces() == 0)
      #expect(try await fixture.attempts(id).map(\.outcome) == [.cancelled])
      #expect(try await fixture.claim(by: UUID()).isEmpty)
    }
  }

  @Test func `a cancelled job whose worker dies is cancelled all the same`() async throws {
    try await JobFixture.open { fixture in
      let id = try await fixture.enqueue()
      let worker = UUID()
      _ = try await fixture.claim(by: worker)
      try await JobAdministration(fixture.services).perform(.cancel, fixture.operatorContext, id: id)
      try await fixture.expire(worker)
      _ = try await fixture.queue.rescue()
      #expect(try await fixture.job(id)?.state == .cancelled)
      #expect(try await fixture.claim(by: UUID()).isEmpty)
    }
  }

  @Test func `a job that ignores its cancellation is given up, and others run in its place`() async throws {
    try await JobFixture.open { fixture in
      let stuck = try await fixture.enqueue(priority: 1, maxAttempts: 1)
      let next = try await fixture.enqueue()
      let release = Mutex(false)
      let handlers = HandlerTable(
        TestHandler { context in
          // Ignores its cancellation.
          if context.job.id == stuck {
            while !release.withLock({ $0 }) {
              await Task.detached { try? await Task.sleep(for: .milliseconds(5)) }.value
            }
          }
          return JobEffects(fixture.leaveTrace)
        }
      )
      let worker = fixture.worker(handlers) { configuration in
        configuration.concurrency = 1
        configuration.timeout = .milliseconds(50)
        configuration.cancellationTimeout = .milliseconds(50)
      }
      try await fixture.working(worker) {
        try await fixture.reach(.dead, stuck)
        try await fixture.reach(.succeeded, next)
        release.withLock { $0 = true }
      }
      #expect(try await fixture.traces() == 1, "what it did in the end came too late")
    }
  }

  @Test func `no more jobs of a limit run at once than it says, however many workers there are`() async throws
  {
    try await JobFixture.open { fixture in
      var ids: [UUID] = []
      for _ in 0..<12 { ids.append(try await fixture.enqueue()) }
      try await QueueAdministration(fixture.services).limit(
        fixture.operatorContext,
        queue: nil,
        kind: "test.job",
        forEach: false,
        maxRunning: 2,
        rate: nil
      )
      let running = Mutex((now: 0, most: 0))
      let handlers = HandlerTable(
        TestHandler { _ in
          running.withLock { state in
            state.now += 1
            state.most = max(state.most, state.now)
          }
          try? await Task.sleep(for: .milliseconds(30))
          running.withLock { $0.now -= 1 }
          return .none
        }
      )
      // The queue sees each as a separate process.
      let workers = (0..<2).map { _ in fixture.worker(handlers, queue: JobQueue(fixture.workers)) }
      try await fixture.working(workers[0]) {
        try await fixture.working(workers[1]) {
          for id in ids { try await fixture.reach(.succeeded, id) }
        }
      }
      #expect(running.withLock(\.most) == 2)
    }
  }

  @Test func `paused jobs are not started, and run when they are resumed`() async throws {
    try await JobFixture.open { fixture in
      let administration = QueueAdministration(fixture.services)
      try await administration.pause(fixture.operatorContext, queue: nil, kind: "test.job", reason: nil)
      let id = try await fixture.enqueue()
      let other = try await fixture.enqueue("test.other")
      let handlers = HandlerTable(TestHandler { _ in .none }, TestHandler("test.other") { _ in .none })
      try await fixture.working(fixture.worker(handlers)) {
        try await fixture.reach(.succeeded, other)
        #expect(try await fixture.job(id)?.state == .queued)
        try await administration.resume(fixture.operatorContext, queue: nil, kind: "test.job")
        try await fixture.reach(.succeeded, id)
      }
    }
  }
}
