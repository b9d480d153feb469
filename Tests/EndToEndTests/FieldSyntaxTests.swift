import EndToEndFixtures
import Foundation
import Testing

/// Every command that takes fields takes them in both forms, and hints print one.
@Suite(.serialized, .timeLimit(.minutes(60))) struct FieldSyntaxTests {
  private func done(_ shell: Shell, _ words: [String]) async throws {
    let outcome = try await shell.fettle(arguments: words)
    #expect(outcome.status == 0, "\(words) \(outcome.errors)")
  }

  @Test func `fields are given as options and as arguments, in any mixture`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      try await shell.done("record", "create", "maintenance.machine", "code=RM-1", "--set", "name=Roller")
      try await shell.done(
        "record",
        "create",
        "maintenance.machine",
        "--set",
        "code=RM-2",
        "--set",
        "name=Two"
      )
      try await shell.done("record", "update", "maintenance.machine", "RM-1", "--set", "name=First")
      try await shell.done("record", "update", "maintenance.machine", "RM-2", "name=Second")
      try await shell.done("category", "add", "name=Bead gun", "machine=RM-1")
      let common = ["--machine", "RM-1", "--category", "Engine"]
      try await self.done(
        shell,
        ["entry", "add", "Hose leaks", "priority=1", "--set", "due_on=2030-01-01"] + common
      )
      try await shell.done("entry", "add", "description=Gun drips", "machine=RM-1", "category=Engine")
      try await done(shell, ["entry", "add", "1 = 2"] + common)
      try await shell.done("entry", "update", "WO-1002", "priority=4")
      try await shell.done("item", "add", "Drill", "location=Garage", "--category", "Tools")
      let entries = try await shell.rows("entry", "list", "--sort", "number")
      #expect(entries.compactMap { $0["description"] as? String } == ["Hose leaks", "Gun drips", "1 = 2"])
      #expect(entries.compactMap { $0["priority"] as? Int } == [1, 4, 2])
      #expect(try await shell.rows("item", "show", "Drill").first?["location"] as? String == "Garage")
      #expect(try await shell.rows("machine", "show", "RM-2").first?["name"] as? String == "Second")

      try await shell.done("entry", "do", "start", "WO-1001")
      try await shell.done("record", "do", "maintenance.entry", "start", "WO-1002")
      let early = "completed_at=2000-01-01T00:00:00Z"
      for words in [
        ["entry", "do", "complete", "WO-1001", early],
        ["entry", "do", "complete", "WO-1001", "--set", early],
        ["entry", "do", "complete", early, "--where", "status=in_progress"],
        ["record", "do", "maintenance.entry", "complete", early, "--where", "status=in_progress"],
      ] {
        let refused = try await shell.fettle(arguments: words)
        #expect(
          refused.status == 6 && refused.errors.contains("completed_at: "),
          "\(words) \(refused.errors)"
        )
      }
      let done = try await shell.done("entry", "do", "complete", "WO-1001").output
      #expect(done == "complete WO-1001, now Completed (version 3)\n")
    }
  }

  @Test func `fields of a transition name records as those of a change do`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      for code in ["RM-1", "RM-2"] { try await shell.done("machine", "add", code, "name=\(code)") }
      for _ in 0..<3 { try await shell.done("entry", "add", "Leak", "machine=RM-1", "category=Engine") }
      let overlay = """
        overlay: maintenance.entry@2
        tighten: { transitions: { start: { require: { fields: [machine_id, assigned_to] } } } }
        """
      try await shell.done("workflow", "overlay", "set", try shell.file("overlay.yaml", overlay))
      let fields = ["--set", "machine=RM-2", "assigned_to=eva"]
      try await done(shell, ["entry", "do", "start", "WO-1001"] + fields)
      try await done(
        shell,
        ["record", "do", "maintenance.entry", "start", "WO-1002", "machine_id=rm-2"] + fields.suffix(1)
      )
      try await done(shell, ["entry", "do", "start", "--where", "number=WO-1003"] + fields)
      let started = try await shell.rows(
        "entry",
        "list",
        "--where",
        "status=in_progress",
        "--columns",
        "machine_code"
      )
      #expect(started.compactMap { $0["machine_code"] as? String } == ["RM-2", "RM-2", "RM-2"])
    }
  }

  @Test func `a command with a key, repeated after its record is gone, has the first answer`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      try await shell.done("machine", "add", "RM-1", "name=One")
      func key(_ words: String...) -> [String] { words + ["--idempotency-key", words.joined()] }
      let commands = [
        key("entry", "add", "Leak", "machine=RM-1", "category=Engine"),
        key("machine", "update", "RM-1", "code=RM-9"), key("entry", "update", "WO-1001", "priority=1"),
        key("entry", "do", "start", "WO-1001"),
        key("entry", "do", "complete", "--where", "machine=RM-9"),
        key("record", "comment", "maintenance.entry", "WO-1001", "done"),
        key("entry", "delete", "WO-1001"),
      ]
      var first: [String] = []
      for command in commands {
        let outcome = try await shell.fettle(arguments: command)
        #expect(outcome.status == 0, "\(command) \(outcome.errors)")
        first.append(outcome.output)
      }
      try await shell.done("machine", "update", "RM-9", "code=RM-0")
      for (command, output) in zip(commands, first) {
        let again = try await shell.fettle(arguments: command)
        #expect(again.status == 0 && again.output == output, "\(command) \(again.errors)")
      }
    }
  }

  @Test func `without a field, or with text that is none, the hint shows the one form`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      try await shell.done("machine", "add", "RM-1")
      for words in [
        ["record", "update", "maintenance.machine", "RM-1"], ["machine", "update", "RM-1"],
        ["machine", "update", "RM-1", "name"], ["machine", "update", "RM-1", "--set", "name"],
        ["item", "update", "Drill"],
      ] {
        let refused = try await shell.fettle(arguments: words)
        #expect(refused.status == 6 && refused.errors.contains("--set "), "\(words) \(refused.errors)")
      }
    }
  }

  @Test func `a command's own options are the first of its help, and shared ones a group at the end`()
    async throws
  {
    for (words, own) in [
      (["entry", "add"], "--machine"), (["machine", "list"], "--limit"), (["doctor"], "--version"),
      (["record", "do"], "--comment"), (["up"], "--port"),
    ] {
      let help = try await FettleProcess.run(FettleProcess.executable, words + ["--help"]).output
      let options = try #require(help.firstRange(of: "\nOPTIONS:\n"), "\(words)")
      let first = try #require(help.firstRange(of: "\n  \(own)"), "\(words)")
      #expect(options.upperBound <= first.lowerBound || first.overlaps(options), "\(words)")
      for shared in ["-o, --output", "--database"] {
        guard let place = help.firstRange(of: "\n  \(shared)") else { continue }
        let group = try #require(help.firstRange(of: "\nSHARED OPTIONS:\n"), "\(words)")
        #expect(first.lowerBound < group.lowerBound && group.lowerBound < place.lowerBound, "\(words)")
        #expect(help.firstRange(of: "\nSUBCOMMANDS") == nil, "\(words)")
      }
    }
  }
}
