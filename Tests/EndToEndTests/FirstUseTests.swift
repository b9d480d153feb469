import EndToEndFixtures
import Foundation
import TestDatabase
import TestTools
import Testing

/// The difficulties of a first user, as commands.
@Suite(.serialized, .timeLimit(.minutes(60))) struct FirstUseTests {
  @Test func `a reading below the last one is refused, corrected and withdrawn by name and time`()
    async throws
  {
    try await Shell.open { shell in
      try await shell.makeCompany(["ana": "user"])
      try await shell.done("machine", "add", "RM-001", "--as", "eva")
      try await shell.done("meter", "add", "Hours", "--machine", "RM-001", "--unit", "h", "--as", "eva")
      let meter = ["--machine", "RM-001", "--as", "ana"]
      func run(_ words: String...) async throws -> FettleProcess.Outcome {
        try await shell.fettle(arguments: ["meter"] + words + meter)
      }
      #expect(try await run("read", "Hours", "1204.5", "--at", "2026-03-01T08:00:00Z").status == 0)
      let refused = try await run("read", "Hours", "1150")
      #expect(refused.status == 6)
      #expect(refused.errors.contains("error[reading_below_last]"))
      #expect(refused.errors.contains("hint: ") && refused.errors.contains("--reset"))
      #expect(try await run("read", "Hours", "12100", "--at", "2026-03-02T08:00:00Z").status == 0)
      #expect(try await run("correct", "Hours", "1210").status == 0)
      #expect(try await shell.rows("meter", "list").first?["total_units"] as? Double == 5.5)
      #expect(try await run("withdraw", "Hours", "--at", "2026-03-02T08:00:00Z").status == 0)
      #expect(try await shell.rows("meter", "list").first?["last_value"] as? Double == 1_204.5)
      #expect(try await run("read", "Hours", "3", "--reset").status == 0)
      let missing = try await run("correct", "Hours", "7", "--at", "2020-01-01T08:00:00Z")
      #expect(missing.status == 3 && missing.errors.contains("meter readings"))
    }
  }

  @Test func `work orders are numbered, named by number everywhere, and in the company's format`()
    async throws
  {
    try await Shell.open { shell in
      try await shell.makeCompany(["ana": "user"])
      try await shell.done("machine", "add", "RM-001", "--as", "eva")
      let made = try await add(shell, "Hose leaks")
      #expect(made.output.hasPrefix("created maintenance.entry WO-1001"))
      try await shell.done("entry", "do", "start", "wo-1001", "--as", "ana")
      try await shell.done("time", "add", "WO-1001", "--from", "08:00", "--to", "09:00", "--as", "ana")
      try await shell.done("record", "comment", "maintenance.entry", "WO-1001", "Seen", "--as", "ana")
      #expect(try await shell.rows("entry", "history", "WO-1001").count == 2)
      let list = try await shell.done("entry", "list")
      #expect(list.output.split(separator: "\n").first?.hasPrefix("number") == true)
      #expect(list.output.contains("WO-1001"))
      #expect(try await shell.rows("time", "list").first?["entry_number"] as? String == "WO-1001")
      let numbers = try await shell.rows(
        "company",
        "numbers",
        "acme",
        "maintenance.entry",
        "--format",
        "SRV-{n}"
      )
      #expect(numbers.first?["next"] as? String == "SRV-1002")
      #expect(try await add(shell, "Gun drips").output.hasPrefix("created maintenance.entry SRV-1002"))
      let bad = try await shell.fettle("company", "numbers", "acme", "maintenance.entry", "--format", "7-{n}")
      #expect(bad.status == 6 && bad.errors.contains("WO-{n}"))
      let wrong = try await shell.fettle("entry", "show", "WO-1003")
      // The neighbour of a number is another work order.
      #expect(wrong.status == 3 && wrong.errors.contains("use one of: SRV-1002, WO-1001"))
      #expect(!wrong.errors.contains("did you mean"))
      _ = try await shell.fettle("entry", "delete", "SRV-1002")
      let gone = try await shell.fettle("entry", "show", "SRV-1002")
      #expect(gone.status == 3 && gone.errors.contains("was deleted"))
    }
  }

  @Test func `a private webhook is named when it is added, tested, logged and delivered again`() async throws
  {
    let receiver = try HookReceiver(.status(200), .text(500, "out of paper"))
    defer { receiver.stop() }
    try await Shell.open { shell in
      try await shell.makeCompany()
      let event = ["--event", "maintenance.entry.completed"]
      let refused = try await shell.fettle(arguments: ["webhook", "add", receiver.url] + event)
      #expect(refused.status == 6)
      #expect(refused.errors.contains("127.0.0.1, which is private"))
      #expect(refused.errors.contains("--allow-private-webhooks"))
      let closed = try await shell.fettle(
        arguments: ["webhook", "add", "http://169.254.169.254/latest", "--private"] + event
      )
      #expect(closed.status == 6 && closed.errors.contains("no webhook may reach"))
      let added = try await shell.fettle(arguments: ["webhook", "add", receiver.url, "--private"] + event)
      #expect(added.status == 0 && added.errors.contains("is private"))
      let hook = try #require(try await shell.rows("webhook", "list").first?["id"] as? String)
      let secret = try await shell.done("webhook", "rotate", hook, "--output", "json").output
      #expect(secret.contains("\"previous_until\"") && !added.output.contains(secret))
      let late = try await shell.fettle("webhook", "test", hook, "--wait", "0")
      #expect(late.status == 7 && late.errors.contains("fettle work"))
      let worker = try shell.begin("work", "--allow-private-webhooks")
      try await until { receiver.requests.count == 1 }
      let failed = try await shell.fettle("webhook", "test", hook)
      #expect(failed.status == 7 && failed.errors.contains("the receiver answered 500"))
      let log = try await shell.rows("webhook", "deliveries", hook)
      #expect(log.map { $0["outcome"] as? String } == ["failed", "delivered"])
      #expect(log.first?["answer"] as? String == "out of paper")
      let attempt = try #require(log.first?["id"] as? String)
      try await shell.done("webhook", "redeliver", attempt)
      try await until { receiver.requests.count == 3 }
      let keys = receiver.requests.map { $0.headers["idempotency-key"] }
      #expect(keys[1] == keys[2] && keys[0] != keys[1])
      worker.signal(SIGTERM)
      #expect(try await worker.end().status == 0)
      let up = try await shell.done("up", "--help")
      #expect(up.output.contains("--allow-private-webhooks"))
    }
  }

  @Test func `the engine's own nouns are reports, for those who may read them`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany(["ana": "user"])
      let members = try await shell.rows("report", "run", "members", "--company", "acme")
      #expect(members.map { $0["role"] as? String } == ["user", "owner"])
      #expect(try await shell.rows("report", "run", "roles", "--company", "acme", "--as", "eva").count == 6)
      let refused = try await shell.fettle("report", "run", "audit", "--as", "ana")
      #expect(refused.status == 4 && refused.errors.contains("audit.read"))
    }
  }

  private func add(_ shell: Shell, _ text: String) async throws -> FettleProcess.Outcome {
    try await shell.done(
      "entry",
      "add",
      text,
      "--machine",
      "RM-001",
      "--category",
      "Hydraulics",
      "--as",
      "eva"
    )
  }
}
