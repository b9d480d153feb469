import Domain
import FettleTesting
import FoundationEssentials
import Jobs
import Postgres
import Store
import Testing

/// The library for tests of handlers, used as by its users.
@Suite(.timeLimit(.minutes(60))) struct TestQueueTests {
  struct Letter: Codable, Sendable {
    var to: String
    var pages = 1
  }

  /// Prints letters, and enqueues a reminder for each.
  struct PrintHandler: JobHandler {
    let kind = "letter.print"

    func run(_ letter: Letter, context: JobContext) async throws -> JobEffects {
      guard letter.pages > 0 else { throw JobFailure.permanent("it is empty") }
      guard letter.to != "away" || context.attempt > 1 else {
        throw JobFailure.temporary("nobody is there", after: .seconds(3_600))
      }
      context.progress(0.5, "printing")
      context.note("\(letter.pages) pages")
      return .enqueue([try NewJob("reminder.send", payload: letter, queue: "mail")], after: context)
    }
  }

  struct RemindHandler: JobHandler {
    let kind = "reminder.send"

    func run(_ letter: Letter, context: JobContext) async throws -> JobEffects { .none }
  }

  @Test func `a handler runs within the test, with its effects and notes`() async throws {
    try await TestQueue.open { queue in
      try await queue.enqueue("letter.print", payload: Letter(to: "somebody else"))
      let run = try await queue.run(PrintHandler(), Letter(to: "eva", pages: 3))
      #expect(run.outcome == .succeeded && run.attempt == 1)
      #expect(run.notes == [.init(done: 0.5, text: "printing"), .init(done: nil, text: "3 pages")])
      let reminder = try await queue.expectEnqueued(kind: "reminder.send", count: 1) {
        try $0.payload(as: Letter.self).to == "eva" && $0.queue == "mail"
      }
      #expect(reminder.first?.state == .queued && reminder.first?.uniqueKey == nil)
      // The letter of the other job was not touched.
      try await queue.expectEnqueued(kind: "letter.print", count: 1)
      #expect(
        try await queue.run(PrintHandler(), Letter(to: "eva", pages: 0)).outcome == .dead("it is empty")
      )
    }
  }

  @Test func `a drain runs ready jobs and the jobs that they enqueue, until there are none`() async throws {
    try await TestQueue.open { queue in
      for name in ["eva", "olle", "ana"] {
        try await queue.enqueue("letter.print", payload: Letter(to: name))
      }
      try await queue.enqueue("nobody.handles")
      let runs = try await queue.drain(PrintHandler(), RemindHandler())
      #expect(runs.count == 6 && runs.allSatisfy { $0.outcome == .succeeded })
      #expect(runs.prefix(3).allSatisfy { $0.kind == "letter.print" })
      try await queue.expectNothingEnqueued(kind: "letter.print")
      try await queue.expectNothingEnqueued(kind: "reminder.send")
      try await queue.expectEnqueued(kind: "nobody.handles", count: 1)
      #expect(try await queue.drain(PrintHandler(), RemindHandler()).isEmpty)
    }
  }

  @Test func `time passes when the test says so`() async throws {
    try await TestQueue.open { queue in
      try await queue.enqueue("letter.print", payload: Letter(to: "eva"), in: .seconds(7_200))
      try await queue.enqueue("letter.print", payload: Letter(to: "away"))
      #expect(
        try await queue.drain(PrintHandler()).map(\.outcome)
          == [.failed("nobody is there", retryAfter: .seconds(3_600))]
      )
      try await queue.expectEnqueued(kind: "letter.print") { $0.state == .retrying && $0.attempt == 1 }
      #expect(try await queue.drain(PrintHandler()).isEmpty)
      try await queue.advance(by: .seconds(3_601))
      #expect(try await queue.drain(PrintHandler()).map(\.attempt) == [2])
      try await queue.expectEnqueued(kind: "letter.print", count: 1) { $0.runsIn > .seconds(3_000) }
      try await queue.advance(by: .seconds(3_600))
      #expect(try await queue.drain(PrintHandler()).map(\.outcome) == [.succeeded])
      try await queue.expectNothingEnqueued(kind: "letter.print")
    }
  }

  @Test func `schedules come due with the clock`() async throws {
    try await TestQueue.open { queue in
      // The first poll only computes the due times.
      #expect(try await queue.fireDue() >= 0)
      try await queue.expectNothingEnqueued(kind: "history.seal")
      try await queue.advance(by: .seconds(32 * 86_400))
      #expect(try await queue.fireDue() > 0)
      try await queue.expectEnqueued(kind: "history.seal")
    }
  }

  @Test func `a failed expectation lists the jobs, at the line of the call`() async throws {
    try await TestQueue.open { queue in
      try await queue.enqueue("letter.print", payload: Letter(to: "eva"))
      try await withKnownIssue {
        try await queue.expectEnqueued(kind: "letter.print") {
          try $0.payload(as: Letter.self).to == "olle"
        }
      } matching: { issue in
        let text = issue.comments.map(\.rawValue).joined()
        return text.hasPrefix("expected an enqueued job of kind letter.print that matches, found 0")
          && text.contains("letter.print in default, queued, attempt 0 of 5: {")
          && text.contains("eva") && issue.sourceLocation?.fileName == "TestQueueTests.swift"
      }
      try await withKnownIssue {
        try await queue.expectEnqueued(kind: "reminder.send", count: 2)
      } matching: {
        $0.comments.map(\.rawValue).joined()
          == "expected 2 enqueued jobs of kind reminder.send that match, found 0; enqueued: 1 letter.print"
      }
      try await withKnownIssue {
        try await queue.expectNothingEnqueued()
      } matching: {
        $0.comments.map(\.rawValue).joined().hasPrefix("expected no enqueued job, found")
      }
    }
  }

  @Test func `an endless chain of jobs is reported and not followed forever`() async throws {
    struct Endless: JobHandler {
      let kind = "chain.on"

      func run(_ payload: JSONObject, context: JobContext) async throws -> JobEffects {
        .enqueue([try NewJob("chain.on", payload: ["n": 1])], after: context)
      }
    }
    try await TestQueue.open { queue in
      try await queue.enqueue("chain.on")
      let error = await #expect(throws: (any Error).self) { try await queue.drain(Endless(), limit: 20) }
      #expect(error.map { "\($0)" }?.contains("do they enqueue each other?") == true)
    }
  }
}
