import EndToEndFixtures
import Foundation
import TestDatabase
import Testing

/// Output for people: names instead of ids, local times, words for events.
@Suite(.serialized, .timeLimit(.minutes(60))) struct ForPeopleTests {
  private static var uuid: Regex<Substring> { /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/ }

  @Test func `history names members and records, and says what was cleared`() async throws {
    try await working { shell in
      try await shell.done("machine", "add", "RM-002")
      try await shell.done(
        "entry",
        "update",
        "WO-1",
        "--set",
        "assigned_to=ana",
        "--set",
        "due_on=2026-05-01"
      )
      try await shell.done("entry", "update", "WO-1", "--set", "due_on=", "--set", "priority=1")
      let text = try await shell.done("entry", "history", "WO-1").output
      #expect(text.contains("assigned to: Ana"), "\(text)")
      #expect(text.contains("due on cleared (was 2026-05-01)"), "\(text)")
      #expect(text.contains(/priority: \d → 1/), "\(text)")
      #expect(!text.contains(Self.uuid), "\(text)")
      // Output for programs contains the ids too.
      let lines = try await shell.rows("entry", "history", "WO-1")
      let changes = try #require(lines.dropFirst().first?["changes"] as? [String: Any])
      #expect((changes["assigned_to"] as? [Any])?.last as? String != "Ana")
      #expect((lines.dropFirst().first?["summary"] as? String)?.contains("Ana") == true)
    }
  }

  @Test func `a record is shown in groups, with names for what it refers to`() async throws {
    try await working { shell in
      let shown = try await shell.done("entry", "show", "WO-1").output
      #expect(shown.contains("\n\nrecord\n"), "\(shown)")
      #expect(shown.contains(/machine: +RM-001\n/), "\(shown)")
      #expect(shown.contains(/created by: +operator|created by: +-|created by: +Ana/), "\(shown)")
      #expect(!shown.contains("machine_id") && !shown.contains("machine code"), "\(shown)")
      let ids = shown.matches(of: Self.uuid)
      #expect(ids.count == 1, "only its own id: \(shown)")
      let json = try await shell.rows("entry", "show", "WO-1")
      #expect(json.first?["machine_code"] as? String == "RM-001")
      #expect(json.first?["machine_id"] is String)
    }
  }

  @Test func `times are those of the company's zone for people, and UTC in one form for programs`()
    async throws
  {
    try await working { shell in
      let shown = try await shell.done("entry", "show", "WO-1").output
      #expect(shown.contains(/created at: +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+0[12]\n/), "\(shown)")
      let utc = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/
      for words in [
        ["entry", "show", "WO-1"], ["entry", "list"], ["job", "list"], ["entry", "history", "WO-1"],
      ] {
        for row in try await rows(shell, words) {
          for name in ["created_at", "updated_at", "at", "run_at"] {
            guard let text = row[name] as? String else { continue }
            #expect(text.wholeMatch(of: utc) != nil, "\(words) \(name): \(text)")
          }
        }
      }
      let export = try await shell.done("record", "export", "maintenance.machine").output
      #expect(export.contains(utc) && !export.contains("+00:00"), "\(export)")
    }
  }

  @Test func `many at once are named, and an empty list says that nothing was found`() async throws {
    try await working { shell in
      let bulk = try await shell.done("entry", "do", "start", "--where", "status=pending").output
      #expect(bulk.contains(/WO-1001 +done/) && !bulk.contains(Self.uuid), "\(bulk)")
      let none = try await shell.done("entry", "list", "--status", "completed")
      #expect(none.errors == "no results; to add one: `fettle entry add --help`\n", "\(none.errors)")
      for words in [["inbox", "list", "--as", "eva"], ["queue", "list"], ["webhook", "list"]] {
        let empty = try await shell.fettle(arguments: words).errors
        #expect(empty.contains("no results; to ") && empty.contains(" --help`"), "\(words): \(empty)")
      }
      let filtered = try await shell.done("entry", "list", "--where", "priority=4")
      #expect(
        filtered.errors == "no results for --where \"priority=4\"; leave out --where to see all\n",
        "\(filtered.errors)"
      )
      let companies = try await shell.done("company", "list", "--where", "status=archived")
      #expect(
        companies.errors == "0 of 1 rows match --where \"status=archived\"; leave out --where to see all\n",
        "\(companies.errors)"
      )
      #expect(try await shell.done("entry", "list", "--status", "completed", "-o", "json").errors.isEmpty)
    }
  }

  @Test func `filters take what commands take`() async throws {
    try await working { shell in
      for words in [
        ["--machine", "rm-001"], ["--category", "hydraulics"], ["--status", "Pending"],
        ["--where", "machine=rm-001"], ["--where", "status in PENDING,completed"],
      ] {
        let found = try await rows(shell, ["entry", "list"] + words)
        #expect(found.count == 1, "\(words)")
      }
    }
  }

  @Test func `somebody who was removed is not assigned`() async throws {
    try await working { shell in
      let id = try #require(
        try await shell.rows("member", "list", "--where", "name=Ana").first?["id"] as? String
      )
      try await shell.done("entry", "update", "WO-1", "--set", "assigned_to=ana")
      try await shell.done("member", "remove", "ana")
      for who in ["ana", id] {
        let refused = try await shell.fettle(
          "entry",
          "add",
          "Gun drips",
          "--machine",
          "RM-001",
          "--category",
          "Hydraulics",
          "--set",
          "assigned_to=\(who)"
        )
        #expect(refused.status == 3 && refused.errors.contains("removed"), "\(who): \(refused.errors)")
      }
      // Records that refer to them can still be changed and found.
      try await shell.done("entry", "update", "WO-1", "--set", "priority=3", "--set", "assigned_to=\(id)")
      #expect(try await rows(shell, ["entry", "list", "--where", "assigned_to=ana"]).count == 1)
      try await shell.done("entry", "update", "WO-1", "--set", "assigned_to=")
      #expect(try await shell.fettle("entry", "update", "WO-1", "--set", "assigned_to=\(id)").status == 3)
      let bulk = try await shell.fettle("entry", "do", "start", "WO-1", "--set", "assigned_to=\(id)")
      #expect(bulk.status != 0, "\(bulk.errors)")
    }
  }

  @Test func `a job list shows the last error, and a job is shown in groups`() async throws {
    try await working { shell in
      let made = try await shell.rows("job", "enqueue", "webhook.deliver", "--max-attempts", "1")
      let id = try #require(made.first?["id"] as? String)
      let worker = try shell.begin("work")
      try await until { try await rows(shell, ["job", "list", "--state", "dead"]).count == 1 }
      worker.signal(SIGTERM)
      _ = try await worker.end()
      for company in [["--company", "acme"], []] {
        var everybody = shell.environment
        everybody["FETTLE_COMPANY"] = nil
        let outcome = try await Shell(folder: shell.folder, environment: everybody)
          .fettle(arguments: ["job", "list", "--state", "dead"] + company)
        #expect(outcome.output.contains("last error") && outcome.output.contains("payload"), "\(outcome)")
      }
      let shown = try await shell.done("job", "show", id).output
      #expect(shown.contains("\n\nattempts\nattempt  outcome"), "\(shown)")
      let refused = try await shell.fettle("job", "run-now", id)
      #expect(refused.status == 5 && refused.errors.contains("fettle job retry"), "\(refused.errors)")
    }
  }

  @Test func `a job that waits for its time is run now`() async throws {
    try await working { shell in
      let made = try await shell.rows("job", "enqueue", "history.seal", "--in", "2d")
      let id = try #require(made.first?["id"] as? String)
      let worker = try shell.begin("work")
      try await worker.says("working")
      #expect(try await rows(shell, ["job", "show", id]).first?["state"] as? String == "queued")
      #expect(try await shell.done("job", "run-now", id).output.contains("as soon as a worker is free"))
      try await until {
        try await rows(shell, ["job", "show", id]).first?["state"] as? String == "succeeded"
      }
      worker.signal(SIGTERM)
      _ = try await worker.end()
      let audit = try await rows(shell, ["audit", "list"]).compactMap { $0["action"] as? String }
      #expect(audit.contains("job.made_due"))
    }
  }

  @Test func `the audit names records as people do, and programs by their ids`() async throws {
    try await working { shell in
      let people = try await shell.done("audit", "list").output
      #expect(people.contains("entry WO-1001") && people.contains("machine RM-001"), "\(people)")
      let programs = try await rows(shell, ["audit", "list"])
      #expect(programs.contains { $0["subject_type"] as? String == "maintenance.entry" })
      #expect(!programs.contains { $0["subject"] as? String == "entry WO-1001" })
    }
  }

  @Test func `color is a choice, and JSON of a workflow has its states`() async throws {
    try await working { shell in
      let colored = try await shell.done("entry", "list", "--color", "always").output
      #expect(colored.contains("\u{1B}[1m"))
      let refused = try await shell.fettle("machine", "show", "RM-9", "--color", "always")
      #expect(refused.errors.hasPrefix("\u{1B}[1;31merror[not_found]\u{1B}[0m: "), "\(refused.errors)")
      #expect(try await shell.fettle("entry", "list", "--color", "sometimes").status == 64)
      let workflow = try #require(try await rows(shell, ["workflow", "show", "maintenance.entry"]).first)
      let states = workflow["states"] as? [[String: Any]] ?? []
      #expect(states.contains { $0["state"] as? String == "in_progress" && $0["category"] is String })
      #expect((workflow["transitions"] as? [[String: Any]])?.isEmpty == false)
      #expect(workflow["version"] is Int)
    }
  }

  @Test func `a negative number is a value`() async throws {
    try await working { shell in
      // A negative number as its own argument, where the parser sees an option. The command refuses it by its
      // own rule.
      try await shell.done("meter", "add", "Hours", "--machine", "RM-001", "--unit", "h")
      let reading = try await shell.fettle("meter", "read", "Hours", "-5", "--machine", "RM-001")
      #expect(reading.status != 64, "\(reading.errors)")
    }
  }

  private func rows(_ shell: Shell, _ words: [String]) async throws -> [[String: Any]] {
    let outcome = try await shell.fettle(arguments: words + ["--output", "json"])
    #expect(outcome.status == 0, "\(words): \(outcome.errors)")
    let json = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
    return (json as? [[String: Any]]) ?? [(json as? [String: Any]) ?? [:]]
  }

  /// A company in Stockholm with a machine and a pending entry.
  private func working(_ body: (Shell) async throws -> Void) async throws {
    try await Shell.open { shell in
      try await shell.makeCompany(["ana": "user"])
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
        "external_ref=WO-1"
      )
      try await body(shell)
    }
  }
}
