import EndToEndFixtures
import Foundation
import Glibc
import TestDatabase
import Testing

/// `fettle job watch`: a job is followed to its end.
@Suite(.serialized, .timeLimit(.minutes(60))) struct JobWatchTests {
  private func enqueue(_ shell: Shell, _ words: String...) async throws -> String {
    let made = try await shell.fettle(
      arguments: ["job", "enqueue", "--new-kind"] + words + ["--output", "json"]
    )
    let row = try JSONSerialization.jsonObject(with: Data(made.output.utf8)) as? [String: Any]
    return try #require(row?["id"] as? String, "\(made.errors)")
  }

  @Test func `a job that succeeds is followed to its end, with 0`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      let id = try await enqueue(shell, "history.seal")
      let watching = try shell.begin("job", "watch", id)
      try await until { watching.printed.contains("queued") }
      let worker = try shell.begin("work")
      let end = try await watching.end()
      #expect(end.status == 0 && end.errors.isEmpty, "\(end.errors)")
      #expect(end.output.split(separator: "\n").last?.contains("  succeeded  (attempt 1 of 5)") == true)
      // A finished job is reported without waiting; programs get objects.
      let again = try await shell.done("job", "watch", String(id.prefix(13)), "--output", "jsonl")
      let line = try #require(again.output.split(separator: "\n").last)
      let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      #expect(event?["state"] as? String == "succeeded" && event?["attempt"] as? Int == 1)
      worker.signal(SIGTERM)
      #expect(try await worker.end().status == 0)
    }
  }

  @Test func `one that dies ends it with 5, the reason and what to do`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      let id = try await enqueue(shell, "webhook.deliver")
      let worker = try shell.begin("work")
      let end = try await shell.fettle("job", "watch", id)
      #expect(end.status == 5)
      #expect(end.output.contains("failed") && end.output.contains("payload"))
      #expect(end.errors.contains("the job is dead after 1 of 5 attempts: the payload cannot be read"))
      #expect(end.errors.contains("hint: retry it with `fettle job retry \(id) --company acme`"))
      worker.signal(SIGTERM)
      #expect(try await worker.end().status == 0)
    }
  }

  @Test func `Ctrl-C ends the watching and not the job, and so does a timeout`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      let id = try await enqueue(shell, "history.seal")
      let watching = try shell.begin("job", "watch", id)
      try await until { watching.printed.contains("queued") }
      watching.signal(SIGINT)
      let end = try await watching.end()
      #expect(end.status == 130 && end.errors.contains("the job continues"))
      let late = try await shell.fettle("job", "watch", id, "--timeout", "1s", "--output", "json")
      #expect(late.status == 7 && late.errors.contains("still queued"))
      let events = try JSONSerialization.jsonObject(with: Data(late.output.utf8)) as? [[String: Any]]
      #expect(events?.map { $0["state"] as? String } == ["queued"])
      #expect(try await shell.rows("job", "show", id).first?["state"] as? String == "queued")
      #expect(try await shell.fettle("job", "watch", "ffffffff-0000").status == 3)
    }
  }

  @Test func `a reader that goes away ends it quietly`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      let id = try await enqueue(shell, "history.seal")
      let worker = try shell.begin("work")
      let piped = try await shell.bash("set -o pipefail; fettle job watch \(id) | head -n 1")
      #expect(piped.output.split(separator: "\n").count == 1 && piped.errors.isEmpty, "\(piped.errors)")
      worker.signal(SIGTERM)
      #expect(try await worker.end().status == 0)
    }
  }
}
