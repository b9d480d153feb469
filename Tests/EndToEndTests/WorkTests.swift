import EndToEndFixtures
import Foundation
import TestDatabase
import TestTools
import Testing

/// Worker processes that end normally and abnormally.
@Suite(.serialized, .timeLimit(.minutes(60))) struct WorkTests {
  @Test func `another worker finishes a killed worker's jobs, with effects once`() async throws {
    let receiver = try HookReceiver(.silence)
    defer { receiver.stop() }
    try await delivering(to: receiver) { shell in
      let first = try shell.begin("work", "--allow-private-webhooks")
      try await until { receiver.requests.count == 1 }
      first.signal(SIGKILL)
      #expect(try await first.end().status == -SIGKILL)
      #expect(try await shell.deliveries().map { $0["state"] as? String } == ["running"])

      let second = try shell.begin("work", "--allow-private-webhooks")
      try await until {
        try await shell.rows("job", "list").allSatisfy { $0["state"] as? String == "succeeded" }
      }
      second.signal(SIGTERM)
      #expect(try await second.end().status == 0)
      let delivery = try #require(try await shell.deliveries().first)
      #expect(delivery["attempt"] as? Int == 2)
      let job = try await shell.rows("job", "show", try #require(delivery["id"] as? String))
      let attempts = job.first?["attempts"] as? [[String: Any]] ?? []
      #expect(attempts.map { $0["outcome"] as? String } == ["lost", "succeeded"])
      // Delivery is at least once, and the receiver can detect duplicates; inside the database it is exactly
      // once.
      let keys = receiver.requests.map { $0.headers["idempotency-key"] }
      #expect(keys.count == 2 && Set(keys).count == 1)
      #expect(try await shell.rows("inbox", "list").count == 2)
    }
  }

  @Test func `SIGTERM lets a worker finish, a second one ends it at once`() async throws {
    let receiver = try HookReceiver(.silence)
    defer { receiver.stop() }
    try await delivering(to: receiver) { shell in
      let worker = try shell.begin("work", "--allow-private-webhooks")
      try await until { receiver.requests.count == 1 }
      worker.signal(SIGTERM)
      try await worker.says("a second signal ends it at once")
      #expect(try await shell.deliveries().map { $0["state"] as? String } == ["running"])
      worker.signal(SIGTERM)
      #expect(try await worker.end().status == 130)
      #expect(try await shell.deliveries().map { $0["state"] as? String } == ["running"])
    }
  }

  @Test func `without leave a worker reaches nothing private`() async throws {
    let receiver = try HookReceiver()
    defer { receiver.stop() }
    try await delivering(to: receiver) { shell in
      let worker = try shell.begin("work")
      // Repeated for days, as every delivery that fails: an operator may permit private addresses meanwhile.
      try await until { try await shell.deliveries().map { $0["state"] as? String } == ["retrying"] }
      #expect(receiver.requests.isEmpty)
      let id = try #require(try await shell.deliveries().first?["id"] as? String)
      #expect(try await shell.done("job", "show", id).output.contains("not one that webhooks may reach"))
      worker.signal(SIGINT)
      #expect(try await worker.end().status == 0)
    }
  }

  @Test func `a worker does nothing for queues that are not its own`() async throws {
    let receiver = try HookReceiver()
    defer { receiver.stop() }
    try await delivering(to: receiver) { shell in
      let worker = try shell.begin("work", "--queues", "push")
      try await worker.says("working")
      worker.signal(SIGTERM)
      #expect(try await worker.end().status == 0)
      #expect(try await shell.rows("job", "list").allSatisfy { $0["state"] as? String == "queued" })
      let id = try #require(try await shell.deliveries().first?["id"] as? String)
      try await shell.done("job", "cancel", id)
      #expect(try await shell.deliveries().map { $0["state"] as? String } == ["cancelled"])
    }
  }

  /// A company with a completed entry and a webhook delivery to a receiver.
  private func delivering(to receiver: HookReceiver, _ body: (Shell) async throws -> Void) async throws {
    try await Shell.open { shell in
      try await shell.makeCompany(["ana": "user"])
      try await shell.done(
        "webhook",
        "add",
        receiver.url,
        "--event",
        "maintenance.entry.completed",
        "--private"
      )
      try await shell.done("machine", "add", "RM-001")
      try await shell.done(
        "entry",
        "add",
        "Hose leaks",
        "--machine",
        "RM-001",
        "--category",
        "Hydraulics",
        "--set",
        "external_ref=WO-1",
        "--as",
        "eva"
      )
      try await shell.done("entry", "do", "start", "WO-1", "--as", "ana")
      try await shell.done("entry", "do", "complete", "WO-1", "--as", "ana")
      try await body(shell)
    }
  }
}

extension Shell {
  /// The jobs that deliver webhooks.
  fileprivate func deliveries() async throws -> [[String: Any]] {
    try await rows("job", "list", "--kind", "webhook.deliver")
  }
}
