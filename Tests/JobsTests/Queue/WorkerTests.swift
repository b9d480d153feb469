import Domain
import EngineFixtures
import FoundationEssentials
import Jobs
import Postgres
import Store
import Synchronization
import TestDatabase
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct WorkerTests {
  @Test func `a worker runs all jobs, each once`() async throws {
    try await JobFixture.open { fixture in
      var ids: [UUID] = []
      for _ in 0..<30 { ids.append(try await fixture.enqueue()) }
      let ran = Mutex<[UUID]>([])
      let handlers = HandlerTable(
        TestHandler { context in
          ran.withLock { $0.append(context.job.id) }
          return JobEffects(fixture.leaveTrace)
        }
      )
      // Eight polls would take longer than the test waits: it has to fetch the rest because its batch was full. A claim
      // that finds the lane locked by another statement waits for a poll.
      let worker = fixture.worker(handlers) { configuration in
        configuration.concurrency = 4
        configuration.poll = .seconds(120)
      }
      try await fixture.working(worker) {
        try await until { try await fixture.traces() == 30 }
        let registered = try await fixture.superuser.value(
          "select count(*)::int from core.worker",
          as: Int.self
        )
        #expect(registered == 1)
      }
      #expect(ran.withLock { $0.count } == 30)
      #expect(ran.withLock { Set($0) } == Set(ids))
      let registered = try await fixture.superuser.value(
        "select count(*)::int from core.worker",
        as: Int.self
      )
      #expect(registered == 0)
    }
  }

  @Test func `a kind without a handler here is left to other workers`() async throws {
    try await JobFixture.open { fixture in
      let other = try await fixture.enqueue("test.other", priority: 1)
      let own = try await fixture.enqueue()
      try await fixture.working(fixture.worker(HandlerTable(TestHandler { _ in .none }))) {
        try await fixture.reach(.succeeded, own)
      }
      let left = try #require(try await fixture.job(other))
      #expect(left.state == .queued && left.attempt == 0)
    }
  }

  @Test func `a handler gets the payload and the cause of the job`() async throws {
    try await JobFixture.open { fixture in
      let id = try await fixture.enqueue()
      let seen = Mutex<[String?]>([])
      let handlers = HandlerTable(
        TestHandler { context in
          seen.withLock { $0 = [context.idempotencyKey, context.traceID] }
          return .none
        }
      )
      try await fixture.working(fixture.worker(handlers)) { try await fixture.reach(.succeeded, id) }
      #expect(seen.withLock { $0 } == ["job:\(id.uuidString.lowercased())", "trace"])
    }
  }

  @Test func `a stopping worker finishes its jobs and claims no more`() async throws {
    try await JobFixture.open { fixture in
      let begun = try await fixture.enqueue(priority: 1)
      let barrier = Barrier()
      let handlers = HandlerTable(
        TestHandler { _ in
          try await barrier.pass()
          return JobEffects(fixture.leaveTrace)
        }
      )
      let worker = fixture.worker(handlers)
      async let running: Void = worker.run()
      try await until { barrier.arrivals == 1 }
      worker.stop()
      let late = try await fixture.enqueue()
      barrier.open()
      try await running
      #expect(try await fixture.job(begun)?.state == .succeeded)
      #expect(try await fixture.job(late)?.state == .queued)
      #expect(try await fixture.traces() == 1)
    }
  }

  @Test func `jobs that do not finish within the grace period are handed back untouched`() async throws {
    try await JobFixture.open { fixture in
      let id = try await fixture.enqueue()
      let barrier = Barrier()
      let handlers = HandlerTable(
        TestHandler { _ in
          try await barrier.pass()
          return JobEffects(fixture.leaveTrace)
        }
      )
      let worker = fixture.worker(handlers) { $0.grace = .zero }
      async let running: Void = worker.run()
      try await until { barrier.arrivals == 1 }
      worker.stop()
      try await running
      let back = try #require(try await fixture.job(id))
      #expect(back.state == .queued && back.attempt == 0)
      #expect(try await fixture.attempts(id).isEmpty)
      #expect(try await fixture.traces() == 0)
    }
  }

  @Test func `a worker whose task is cancelled hands back too`() async throws {
    try await JobFixture.open { fixture in
      let id = try await fixture.enqueue()
      let barrier = Barrier()
      let worker = fixture.worker(
        HandlerTable(
          TestHandler { _ in
            try await barrier.pass()
            return .none
          }
        )
      )
      let running = Task { try await worker.run() }
      try await until { barrier.arrivals == 1 }
      running.cancel()
      _ = await running.result
      let back = try #require(try await fixture.job(id))
      #expect(back.state == .queued && back.attempt == 0)
    }
  }

  @Test func `an attempt that takes too long fails and is tried again`() async throws {
    try await JobFixture.open { fixture in
      let id = try await fixture.enqueue()
      let barrier = Barrier()
      let handlers = HandlerTable(
        TestHandler { context in
          if context.job.attempt == 1 { try await barrier.pass() }
          return JobEffects(fixture.leaveTrace)
        }
      )
      let worker = fixture.worker(handlers) { $0.timeout = .milliseconds(20) }
      try await fixture.working(worker) { try await fixture.reach(.succeeded, id) }
      let attempts = try await fixture.attempts(id)
      #expect(attempts.map(\.outcome) == [.failed, .succeeded])
      #expect(attempts.first?.error?.hasPrefix("the attempt took longer than") == true)
    }
  }

  @Test func `a permanent failure is dead at once, a payload that cannot be read too`() async throws {
    try await JobFixture.open { fixture in
      let refused = try await fixture.enqueue()
      let broken = try await fixture.enqueue(payload: JSON(text: "[1]"))
      let handlers = HandlerTable(TestHandler { _ in throw JobFailure.permanent("no such address") })
      try await fixture.working(fixture.worker(handlers)) {
        try await fixture.reach(.dead, refused)
        try await fixture.reach(.dead, broken)
      }
      #expect(try await fixture.attempts(refused).map(\.error) == ["no such address"])
      #expect(try await fixture.attempts(broken).count == 1)
    }
  }

  @Test func `a job whose lease is lost is given up, and its effects are not written`() async throws {
    try await JobFixture.open { fixture in
      let id = try await fixture.enqueue()
      let barrier = Barrier()
      let handlers = HandlerTable(
        TestHandler { context in
          if context.job.attempt == 1 { try await barrier.pass() }
          return JobEffects(fixture.leaveTrace)
        }
      )
      try await fixture.working(fixture.worker(handlers)) {
        try await until { barrier.arrivals == 1 }
        // As if the worker had slept through its lease and was declared lost; a heartbeat reports it.
        try await fixture.superuser.transaction { tx in
          try tx.execute("update core.worker set lease_until = now() - interval '1 second'")
          #expect(try tx.value("select core.rescue_jobs('asleep')", as: Int.self) == 1)
        }
        try await fixture.reach(.succeeded, id)
      }
      #expect(try await fixture.attempts(id).map(\.outcome) == [.lost, .succeeded])
      #expect(try await fixture.traces() == 1)
    }
  }

  @Test func `a job may enqueue the next one as it succeeds`() async throws {
    try await JobFixture.open { fixture in
      let next = UUID()
      let handlers = HandlerTable(
        TestHandler { context in
          guard context.job.id != next else { return .none }
          return JobEffects { tx in
            let job = NewJob(id: next, kind: "test.job", payload: JSON(text: "{}"))
            try JobOutbox.write([job], company: context.job.company, traceID: context.traceID, tx)
          }
        }
      )
      try await fixture.enqueue()
      try await fixture.working(fixture.worker(handlers)) { try await fixture.reach(.succeeded, next) }
    }
  }
}
