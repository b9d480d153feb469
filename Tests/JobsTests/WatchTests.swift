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
@Suite(.serialized, .timeLimit(.minutes(30))) struct WatchTests {
  @Test func `a running job that is cancelled is ended, and its effects are not written`() async throws {
    try await JobRoom.open { room in
      let id = try await room.enqueue()
      let door = Door()
      let handlers = HandlerTable(
        TestHandler { _ in
          try await door.pass()
          return JobEffects(room.leaveTrace)
        }
      )
      try await room.working(room.worker(handlers)) {
        try await until { door.arrivals == 1 }
        try await JobAdministration(room.services).perform(.cancel, room.operatorContext, id: id)
        try await room.reach(.cancelled, id)
      }
      #expect(try await room.traces() == 0)
      #expect(try await room.attempts(id).map(\.outcome) == [.cancelled])
      #expect(try await room.claim(by: UUID()).isEmpty)
    }
  }

  @Test func `a cancelled job whose worker dies is cancelled all the same`() async throws {
    try await JobRoom.open { room in
      let id = try await room.enqueue()
      let worker = UUID()
      _ = try await room.claim(by: worker)
      try await JobAdministration(room.services).perform(.cancel, room.operatorContext, id: id)
      try await room.expire(worker)
      _ = try await room.queue.rescue()
      #expect(try await room.job(id)?.state == .cancelled)
      #expect(try await room.claim(by: UUID()).isEmpty)
    }
  }

  @Test func `a job that ignores its cancellation is given up, and others run in its place`() async throws {
    try await JobRoom.open { room in
      let stuck = try await room.enqueue(priority: 1, maxAttempts: 1)
      let next = try await room.enqueue()
      let release = Mutex(false)
      let handlers = HandlerTable(
        TestHandler { context in
          // Ignores its cancellation.
          if context.job.id == stuck {
            while !release.withLock({ $0 }) {
              await Task.detached { try? await Task.sleep(for: .milliseconds(5)) }.value
            }
          }
          return JobEffects(room.leaveTrace)
        }
      )
      let worker = room.worker(handlers) { configuration in
        configuration.concurrency = 1
        configuration.timeout = .milliseconds(50)
        configuration.cancellationTimeout = .milliseconds(50)
      }
      try await room.working(worker) {
        try await room.reach(.dead, stuck)
        try await room.reach(.succeeded, next)
        release.withLock { $0 = true }
      }
      #expect(try await room.traces() == 1, "what it did in the end came too late")
    }
  }

  @Test func `no more jobs of a limit run at once than it says, however many workers there are`() async throws
  {
    try await JobRoom.open { room in
      var ids: [UUID] = []
      for _ in 0..<12 { ids.append(try await room.enqueue()) }
      try await QueueAdministration(room.services).limit(
        room.operatorContext,
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
      let workers = (0..<2).map { _ in room.worker(handlers, queue: JobQueue(room.workers)) }
      try await room.working(workers[0]) {
        try await room.working(workers[1]) {
          for id in ids { try await room.reach(.succeeded, id) }
        }
      }
      #expect(running.withLock(\.most) == 2)
    }
  }

  @Test func `paused jobs are not started, and run when they are resumed`() async throws {
    try await JobRoom.open { room in
      let administration = QueueAdministration(room.services)
      try await administration.pause(room.operatorContext, queue: nil, kind: "test.job", reason: nil)
      let id = try await room.enqueue()
      let other = try await room.enqueue("test.other")
      let handlers = HandlerTable(TestHandler { _ in .none }, TestHandler("test.other") { _ in .none })
      try await room.working(room.worker(handlers)) {
        try await room.reach(.succeeded, other)
        #expect(try await room.job(id)?.state == .queued)
        try await administration.resume(room.operatorContext, queue: nil, kind: "test.job")
        try await room.reach(.succeeded, id)
      }
    }
  }
}
