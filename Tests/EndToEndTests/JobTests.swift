import EndToEndFixtures
import Foundation
import TestDatabase
import Testing

/// Jobs and the queue from the command line.
@Suite(.serialized, .timeLimit(.minutes(60))) struct JobTests {
  private func enqueue(_ shell: Shell, _ words: String...) async throws -> String {
    let made = try await shell.fettle(
      arguments: ["job", "enqueue", "--new-kind"] + words + ["--output", "json"]
    )
    #expect(made.status == 0, "\(made.errors)")
    let row = try JSONSerialization.jsonObject(with: Data(made.output.utf8)) as? [String: Any]
    return try #require(row?["id"] as? String)
  }

  private func states(_ shell: Shell, _ kind: String) async throws -> [String] {
    try await shell.rows("job", "list", "--kind", kind).compactMap { $0["state"] as? String }
  }

  @Test func `a job is enqueued, snoozed, cancelled, retried and cancelled again`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      let id = try await enqueue(shell, "test.one", "--payload", #"{"n":1}"#)
      #expect(try await states(shell, "test.one") == ["queued"])
      try await shell.done("job", "snooze", id, "--for", "2h")
      let snoozed = try #require(try await shell.rows("job", "list", "--kind", "test.one").first)
      #expect(snoozed["run_at"] as? String != snoozed["created_at"] as? String)
      try await shell.done("job", "cancel", id)
      let again = try await shell.fettle("job", "snooze", id, "--for", "2h")
      #expect(again.status == 5 && again.errors.contains("snooze is for jobs that are queued, retrying"))
      try await shell.done("job", "retry", id)
      #expect(try await states(shell, "test.one") == ["queued"])
      try await shell.done("job", "cancel", id)
      let shown = try await shell.rows("job", "show", id)
      #expect(shown.first?["state"] as? String == "cancelled")
      #expect((shown.first?["payload"] as? [String: Any])?["n"] as? Int == 1)
      let audit = try await shell.rows("audit", "--limit", "50").compactMap { $0["action"] as? String }
      for action in ["job.enqueued", "job.snoozed", "job.cancelled", "job.retried"] {
        #expect(audit.contains(action), "\(action)")
      }
    }
  }

  @Test func `lists name the kinds of ready jobs that no worker runs`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      _ = try await enqueue(shell, "test.one")
      _ = try await enqueue(shell, "test.one", "--queue", "slow")
      _ = try await enqueue(shell, "mail.send")
      _ = try await enqueue(shell, "history.seal")
      let one =
        "no worker runs jobs of kind test.one: 2 wait; start one with `fettle work --queues default,slow --handler test.one=PROGRAM`"
      let mail =
        "no worker runs jobs of kind mail.send: 1 waits; start one with `fettle work --mail smtps://… --mail-from …`"
      for words in [["job", "list"], ["queue", "stats"]] {
        let list = try await shell.fettle(arguments: words)
        #expect(list.errors == "\(mail)\n\(one)\n", "\(words) \(list.errors)")
        let json = try await shell.fettle(arguments: words + ["-o", "json"])
        #expect(json.errors.isEmpty, "\(json.errors)")
      }
      let some = try await shell.fettle("job", "list", "--kind", "mail.send")
      #expect(some.errors == "\(mail)\n", "\(some.errors)")
      try await shell.done("queue", "pause", "--kind", "test.one")
      #expect(try await shell.fettle("queue", "stats").errors == "\(mail)\n")
    }
  }

  @Test func `a filter changes many, after a dry run that says how many`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      for _ in 0..<4 { _ = try await enqueue(shell, "test.many") }
      _ = try await enqueue(shell, "test.other")
      let dry = try await shell.fettle("job", "cancel", "--where", "state=queued,kind=test.many", "--dry-run")
      #expect(dry.status == 0 && dry.errors.contains("would be cancelled: 4"))
      #expect(try await states(shell, "test.many") == ["queued", "queued", "queued", "queued"])
      let done = try await shell.fettle("job", "cancel", "--where", "state=queued,kind=test.many")
      #expect(done.status == 0 && done.errors.contains("cancelled: 4"))
      #expect(try await states(shell, "test.many").allSatisfy { $0 == "cancelled" })
      #expect(try await states(shell, "test.other") == ["queued"])
      // Without --company, the jobs of all companies.
      let all = try await shell.fettle(
        "job",
        "retry",
        "--where",
        "state=cancelled",
        "--where",
        "kind=test.many",
        "--output",
        "json"
      )
      let facts = try JSONSerialization.jsonObject(with: Data(all.output.utf8)) as? [String: Any]
      #expect(facts?["done"] as? Int == 4 && facts?["dry_run"] as? Bool == false)
    }
  }

  @Test func `a filter that cannot be meant is refused with what could`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      for (words, says) in [
        (["job", "cancel", "--where", "kind=notify.send"], "add state=queued or state=retrying"),
        (["job", "discard", "--where", "state=queued"], "use state=dead"),
        (["job", "list", "--state", "ded"], "did you mean dead?"),
        (["job", "list", "--where", "kid=a"], "did you mean kind?"),
        (["job", "list", "--after", "nonsense"], "the position that the previous page printed"),
        (["job", "enqueue", "test.a", "--payload", "[1]"], "not a JSON object"),
      ] {
        let refused = try await shell.fettle(arguments: words)
        #expect(refused.status == 6, "\(words)")
        #expect(refused.errors.contains(says), "\(words): \(refused.errors)")
      }
      for words in [
        ["job", "retry"], ["job", "snooze", "abcdef"], ["queue", "pause"], ["queue", "limit", "--all"],
        ["queue", "limit", "push", "--running", "0"], ["queue", "limit", "push", "--rate", "many"],
      ] {
        #expect(try await shell.fettle(arguments: words).status == 64, "\(words)")
      }
    }
  }

  @Test func `a list goes on where its page ended`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      var made: Set<String> = []
      for number in 0..<5 {
        made.insert(
          number == 2
            ? try await enqueue(shell, "test.page", "--in", "1d") : try await enqueue(shell, "test.page")
        )
      }
      var seen: [String] = []
      var after: [String] = []
      repeat {
        let page = try await shell.fettle(
          arguments: ["job", "list", "--kind", "test.page", "--limit", "2", "--output", "jsonl"] + after
        )
        #expect(page.status == 0, "\(page.errors)")
        for line in page.output.split(separator: "\n") {
          let row = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
          seen.append(try #require(row?["id"] as? String))
        }
        after =
          page.errors.split(separator: " ").last.map { ["--after", $0.trimmingCharacters(in: .newlines)] }
          ?? []
      } while !after.isEmpty && seen.count < 20
      #expect(seen.count == 5 && Set(seen) == made)
    }
  }

  @Test func `a key lets in one job at a time`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      let id = try await enqueue(shell, "test.key", "--key", "k")
      let second = try await shell.fettle("job", "enqueue", "test.key", "--key", "k")
      #expect(second.status == 5 && second.errors.contains("is open"))
      try await shell.done("job", "cancel", id)
      _ = try await enqueue(shell, "test.key", "--key", "k")
      // The first cannot be retried while the second holds the key.
      let back = try await shell.fettle("job", "retry", "--where", "state=cancelled,kind=test.key")
      #expect(back.status == 5 && back.errors.contains("holds its key"))
    }
  }

  @Test func `the queue is paused, limited and resumed, for all or for one company`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      var everybody = shell.environment
      everybody["FETTLE_COMPANY"] = nil
      let operators = Shell(folder: shell.folder, environment: everybody)
      _ = try await enqueue(shell, "test.one")
      _ = try await enqueue(shell, "test.two", "--queue", "push")
      try await operators.done("queue", "pause", "--kind", "test.one", "--reason", "repairs")
      let stats = try await operators.rows("queue", "stats")
      let line = try #require(stats.first { $0["kind"] as? String == "test.one" })
      #expect(line["state"] as? String == "paused" && line["queued"] as? Int == 1)
      #expect(try await operators.fettle("queue", "pause", "--kind", "test.one").status == 5)
      try await shell.done("queue", "limit", "push", "--running", "3", "--rate", "100/minute")
      try await operators.done("queue", "limit", "--all", "--running", "8", "--each-company")
      let rules = try await operators.rows("queue", "list")
      #expect(rules.count == 3)
      let own = try #require(rules.first { $0["company"] as? String == "acme" })
      #expect(
        own["running"] as? Int == 3 && own["rate"] as? String == "100/60s" && own["by"] as? String == "tester"
      )
      try await operators.done("queue", "resume", "--kind", "test.one")
      #expect(try await operators.fettle("queue", "resume", "--kind", "test.one").status == 3)
      try await shell.done("queue", "limit", "push", "--none")
      try await operators.done("queue", "limit", "--all", "--each-company", "--none")
      #expect(try await operators.rows("queue", "list").isEmpty)
      #expect(try await operators.done("doctor").output.contains("backlog"))
      try await operators.done("queue", "maintain", "--dry-run")
      try await operators.done("queue", "maintain")
    }
  }

  @Test func `a schedule says when it is due next`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      let times = try await shell.rows("schedule", "next", "history.seal", "--count", "3")
      #expect(times.count == 3)
      let at = times.compactMap { $0["at"] as? String }
      #expect(at == at.sorted() && Set(at).count == 3)
      #expect(try await shell.fettle("schedule", "next", "history.seel").status == 3)
    }
  }
}
