import Engine
import EngineFixtures
import FoundationEssentials
import Glibc
import Postgres
import Store
import Synchronization
import TestDatabase
import Testing

/// Claims of rows whose transactions commit in another order than they began: a job that commits late is
/// neither skipped nor claimed twice.
@Suite(.serialized, .timeLimit(.minutes(60))) struct CommitOrderTests {
  private func enqueue(_ id: UUID, _ fixture: JobFixture, _ tx: Transaction) throws {
    try JobOutbox.write(
      [NewJob(id: id, kind: "test.job", payload: JSON(text: "{}"))],
      company: fixture.company,
      traceID: nil,
      tx
    )
  }

  @Test func `a job that commits after a later one was claimed is claimed next`() async throws {
    try await JobFixture.open { fixture in
      let (early, late) = (UUID(), UUID())
      let worker = UUID()
      let (enqueued, go) = (Latch(), Latch())
      let slow = Task {
        try await fixture.services.database.transaction(.inside(fixture.company)) { tx in
          try enqueue(late, fixture, tx)
          enqueued.note()
          go.wait()
        }
      }
      try await until { enqueued.isNoted }
      try await fixture.services.database.transaction(.inside(fixture.company)) { tx in
        try enqueue(early, fixture, tx)
      }
      #expect(try await fixture.claim(by: worker).map(\.id) == [early])
      #expect(try await fixture.claim(by: worker).isEmpty)
      go.note()
      try await slow.value
      #expect(try await fixture.claim(by: worker).map(\.id) == [late])
      #expect(try await fixture.claim(by: worker).isEmpty)
      // A worker that starts only now sees neither.
      #expect(
        try await JobQueue(fixture.workers).claim(
          worker: UUID(),
          queues: ["default"],
          kinds: ["test.job"],
          limit: 10,
          lease: .seconds(60)
        ).isEmpty
      )
    }
  }

  @Test func `rolled back jobs are not claimed, and jobs that a savepoint kept are`() async throws {
    try await JobFixture.open { fixture in
      let (kept, undone) = (UUID(), UUID())
      try await fixture.services.database.transaction(.inside(fixture.company)) { tx in
        try? tx.savepoint { tx in
          try enqueue(undone, fixture, tx)
          throw CancellationError()
        }
        try tx.savepoint { tx in try enqueue(kept, fixture, tx) }
      }
      try await fixture.services.database.transaction(.inside(fixture.company)) { tx in
        try enqueue(UUID(), fixture, tx)
        try tx.rollback()
      }
      #expect(try await fixture.claim(by: UUID()).map(\.id) == [kept])
    }
  }

  @Test func `many writers and claimers at once: every job is claimed exactly once`() async throws {
    try await JobFixture.open { fixture in
      let enqueued = try await withThrowingTaskGroup(of: (enqueued: [UUID], claimed: [UUID]).self) { group in
        for writer in 0..<4 {
          group.addTask {
            var ids: [UUID] = []
            for round in 0..<60 {
              let some = (0..<Int.random(in: 1...20)).map { _ in UUID() }
              let isKept = round % 7 != writer
              try await fixture.services.database.transaction(.inside(fixture.company)) { tx in
                for id in some { try enqueue(id, fixture, tx) }
                try tx.execute("select pg_sleep(random() * 0.01)")
                if !isKept { try tx.rollback() }
              }
              if isKept { ids += some }
            }
            return (ids, [])
          }
        }
        for _ in 0..<3 {
          group.addTask {
            // The queue sees each as a separate process.
            let queue = JobQueue(fixture.workers)
            let worker = UUID()
            var ids: [UUID] = []
            var idle = 0
            while idle < 100 {
              let jobs = try await queue.claim(
                worker: worker,
                queues: ["default"],
                kinds: ["test.job"],
                limit: Int.random(in: 1...30),
                lease: .seconds(600)
              )
              ids += jobs.map(\.id)
              idle = jobs.isEmpty ? idle + 1 : 0
              if jobs.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
            }
            return ([], ids)
          }
        }
        return try await group.reduce(into: (enqueued: [UUID](), claimed: [UUID]())) { all, part in
          all.enqueued += part.enqueued
          all.claimed += part.claimed
        }
      }
      #expect(enqueued.claimed.count == enqueued.enqueued.count)
      #expect(Set(enqueued.claimed) == Set(enqueued.enqueued))
    }
  }
}

/// A one-time event that can be awaited inside a transaction, which blocks its own thread.
final class Latch: Sendable {
  private let state = Mutex(false)

  var isNoted: Bool { state.withLock { $0 } }

  func note() { state.withLock { $0 = true } }

  func wait() {
    while !isNoted { usleep(1_000) }
  }
}
