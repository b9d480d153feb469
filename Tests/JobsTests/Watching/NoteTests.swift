import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

@testable import Jobs

/// Progress and notes of running jobs.
@Suite(.timeLimit(.minutes(60))) struct NoteTests {
  @Test func `notes of a job are visible while it runs, and all of them once it has ended`() async throws {
    try await JobFixture.open { fixture in
      let barrier = Barrier()
      let handlers = HandlerTable(
        TestHandler { context in
          context.progress(0.25, "a quarter")
          context.note("said by the job")
          try await barrier.pass()
          context.note("said at the end")
          context.progress(1)
          return .none
        }
      )
      let id = try await fixture.enqueue()
      let administration = JobAdministration(fixture.services)
      try await fixture.working(fixture.worker(handlers)) {
        try await until { try await administration.show(fixture.operatorContext, id: id).notes.count == 2 }
        let running = try await administration.show(fixture.operatorContext, id: id)
        #expect(running.job.state == .running && running.progress == 0.25)
        #expect(running.notes.map(\.text) == ["a quarter", "said by the job"])
        #expect(running.notes.allSatisfy { $0.attempt == 1 })
        barrier.open()
        try await fixture.reach(.succeeded, id)
        let ended = try await administration.show(fixture.operatorContext, id: id)
        #expect(ended.notes.map(\.text) == ["a quarter", "said by the job", "said at the end", nil])
        #expect(ended.progress == 1)
      }
    }
  }

  @Test func `notes of a job after its claim was lost are not written`() async throws {
    try await JobFixture.open { fixture in
      let (first, second) = (UUID(), UUID())
      let id = try await fixture.enqueue()
      let old = try #require(try await fixture.claim(by: first).first)
      let note = JobNote(done: 0.5, text: "half", age: .zero)
      try await fixture.queue.write([(old, [note])], company: fixture.company, worker: first)
      try await fixture.expire(first)
      _ = try await fixture.queue.rescue()
      try await fixture.hurry()
      try await fixture.queue.write([(old, [note])], company: fixture.company, worker: first)
      let new = try #require(try await fixture.claim(by: second).first)
      try await fixture.queue.write([(old, [note]), (new, [note])], company: fixture.company, worker: first)
      #expect(new.id == id)
      try await fixture.queue.write([(new, [note])], company: fixture.company, worker: second)
      let notes = try await JobAdministration(fixture.services).show(fixture.operatorContext, id: id).notes
      #expect(notes.map(\.attempt) == [1, new.attempt])
    }
  }

  @Test func `a failed attempt keeps its notes, and the next one starts again`() async throws {
    try await JobFixture.open { fixture in
      let handlers = HandlerTable(
        TestHandler { context in
          context.progress(context.job.attempt == 1 ? 0.9 : 0.1)
          if context.job.attempt == 1 { throw JobFailure.temporary("not yet", after: .milliseconds(10)) }
          return .none
        }
      )
      let id = try await fixture.enqueue()
      try await fixture.working(fixture.worker(handlers)) { try await fixture.reach(.succeeded, id) }
      let detail = try await JobAdministration(fixture.services).show(fixture.operatorContext, id: id)
      #expect(detail.notes.map(\.done) == [0.9, 0.1])
      #expect(detail.progress == 0.1)
    }
  }

  @Test func `a watch reports each event once, and when the job is over`() async throws {
    try await JobFixture.open { fixture in
      let handlers = HandlerTable(
        TestHandler { context in
          context.note("attempt \(context.job.attempt)")
          if context.job.attempt == 1 { throw JobFailure.temporary("not yet", after: .milliseconds(10)) }
          return .none
        }
      )
      let administration = JobAdministration(fixture.services)
      let id = try await fixture.enqueue()
      var watch = JobWatch()
      #expect(
        watch.events(try await administration.show(fixture.operatorContext, id: id)).map(\.state) == [
          "queued"
        ]
      )
      #expect(watch.events(try await administration.show(fixture.operatorContext, id: id)).isEmpty)
      try await fixture.working(fixture.worker(handlers)) { try await fixture.reach(.succeeded, id) }
      let detail = try await administration.show(fixture.operatorContext, id: id)
      let events = watch.events(detail)
      #expect(events.map(\.text) == ["attempt 1", "not yet", "attempt 2", nil])
      #expect(events.map(\.state) == ["running", "failed", "running", "succeeded"])
      #expect(detail.isOver && watch.events(detail).isEmpty)
    }
  }
}
