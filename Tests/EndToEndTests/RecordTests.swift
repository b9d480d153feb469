import EndToEndFixtures
import Foundation
import Testing

/// Records of any type at the command line: paged lists, deletion, export and import.
@Suite(.serialized, .timeLimit(.minutes(60))) struct RecordTests {
  @Test func `a list takes conditions, an order and a place to go on from`() async throws {
    try await working { shell in
      let some = try await shell.done(
        "record",
        "list",
        "maintenance.entry",
        "--where",
        "estimated_hours>=2",
        "--where",
        "external_ref in WO-1,WO-3,WO-4",
        "--where",
        "due_on is null",
        "--sort",
        "-estimated_hours,reported_on",
        "-o",
        "csv",
        "--columns",
        "external_ref"
      )
      #expect(some.output == "external_ref\r\nWO-4\r\nWO-3\r\n")
      let named = try await shell.rows("record", "list", "maintenance.entry", "--where", "machine=RM-002")
      #expect(named.count == 1 && named[0]["version"] as? Int == 1)
      #expect(
        (named[0]["allowed"] as? [String])?.isSuperset(of: ["start", "update", "delete", "comment"]) == true
      )
      #expect(try await shell.rows("record", "list", "maintenance.entry", "-q", "drips").count == 1)

      var seen: [String] = []
      var after: [String] = []
      repeat {
        let page = try await shell.fettle(
          arguments: [
            "record", "list", "maintenance.entry", "--limit", "2", "--sort", "estimated_hours", "-o", "csv",
            "--columns", "external_ref",
          ] + after
        )
        try #require(page.status == 0, "\(page.errors)")
        seen += page.output.split(separator: "\r\n").dropFirst().map(String.init)
        after =
          page.errors.split(separator: " ").last.map { ["--after", $0.trimmingCharacters(in: .newlines)] }
          ?? []
      } while !after.isEmpty
      #expect(seen == ["WO-1", "WO-2", "WO-3", "WO-4", "WO-5"])
      let all = try await shell.done("record", "list", "maintenance.entry", "--all", "-o", "jsonl")
      #expect(all.output.split(separator: "\n").count == 5)
      for (condition, column) in [("estimated_hours>=many", "estimated_hours"), ("due_on<x", "due_on")] {
        let bad = try await shell.fettle("record", "list", "maintenance.entry", "--where", condition)
        #expect(bad.status == 6 && bad.errors.contains("]: \(column): "), "\(bad.errors)")
      }
      let typo = try await shell.fettle("record", "list", "maintenance.entry", "--where", "statsu=pending")
      #expect(typo.status == 6 && typo.errors.contains("did you mean status?"))
    }
  }

  @Test func `deleted records can be listed with the permission, and restored`() async throws {
    try await working { shell in
      let machine = try await shell.fettle("record", "delete", "maintenance.machine", "RM-001")
      #expect(machine.status == 5)
      #expect(machine.errors.contains("error[still_referenced]"))
      #expect(machine.errors.contains("WO-1"))
      let gone = try await shell.done("entry", "delete", "WO-2", "--comment", "twice")
      #expect(gone.output == "deleted WO-2, now Pending (version 2)\n")
      #expect(try await shell.fettle("entry", "show", "WO-2").status == 3)
      let deleted = try await shell.rows("record", "list", "maintenance.entry", "--deleted")
      #expect(deleted.map { $0["external_ref"] as? String } == ["WO-2"])
      #expect(deleted[0]["allowed"] as? [String] == ["restore"])
      try await shell.done("record", "restore", "maintenance.entry", "WO-2")
      let history = try await shell.rows("entry", "history", "WO-2")
      #expect(history.map { $0["what"] as? String } == ["create", "delete", "restore"])
      try await shell.done("category", "delete", "Hydraulics")
      #expect(
        try await shell.rows("entry", "show", "WO-1").first?["category_name"] as? String == "Hydraulics"
      )
      let use = try await shell.fettle("entry", "add", "x", "--machine", "RM-001", "--category", "Hydraulics")
      #expect(use.status == 3, "an archived category is not offered any more")
    }
  }

  @Test func `an export comes back as it was, with what was changed in it and nothing twice`() async throws {
    try await working { shell in
      try await shell.done("entry", "update", "WO-1", "--set", "description==1+1")
      try await shell.done("entry", "update", "WO-2", "--set", "description='=quoted \"x\", y")
      let export = try await shell.done("record", "export", "maintenance.entry", "--sort", "estimated_hours")
        .output
      #expect(export.contains("'=1+1"), "a spreadsheet must not run it")
      #expect(export.hasPrefix("number,id,version,"))
      let file = try shell.file("entries.csv", export)
      let same = try await shell.rows("record", "import", "maintenance.entry", file)
      #expect(same[0]["already_there"] as? Int == 5 && same[0]["imported"] as? Int == 0)
      #expect(same[0]["updated"] as? Int == 0, "\(same)")

      let edited = try shell.file(
        "edited.csv",
        export.replacingOccurrences(of: "Stirrer", with: "Stirrer squeaks")
      )
      let changed = try await shell.rows("record", "import", "maintenance.entry", edited)
      #expect(changed[0]["updated"] as? Int == 1 && changed[0]["already_there"] as? Int == 4)
      let again = try await shell.rows("record", "import", "maintenance.entry", edited)
      #expect(again[0]["updated"] as? Int == 0 && again[0]["already_there"] as? Int == 5)
      let stale = try await shell.fettle("record", "import", "maintenance.entry", file)
      #expect(
        stale.status == 6 && stale.errors.contains("the record is at version 2, not 1"),
        "\(stale.errors)"
      )
      let texts = try await shell.rows(
        "entry",
        "list",
        "--where",
        "external_ref in WO-1,WO-2",
        "--sort",
        "external_ref"
      )
      #expect(texts.map { $0["description"] as? String } == ["=1+1", "'=quoted \"x\", y"])

      let lines = try await shell.done("record", "export", "maintenance.machine", "-o", "jsonl").output
      let machines = try shell.file(
        "machines.jsonl",
        lines.replacingOccurrences(of: "\"id\":\"", with: "\"id\":\"0").replacingOccurrences(
          of: "RM-",
          with: "XX-"
        )
      )
      let bad = try await shell.fettle("record", "import", "maintenance.machine", machines)
      #expect(bad.status == 6 && bad.errors.contains("line 1: id: "))
      let fresh = try shell.file(
        "fresh.jsonl",
        #"{"code":"N-1","name":"New \u00e9","status":"out_of_service"}"# + "\n\n"
          + #"{"code":"N-2","name":"New"}"#
      )
      let made = try await shell.rows("record", "import", "maintenance.machine", fresh)
      #expect(made[0]["imported"] as? Int == 2)
      #expect(try await shell.rows("machine", "show", "N-1").first?["status"] as? String == "out_of_service")
      #expect(
        try await shell.rows("record", "import", "maintenance.machine", fresh)[0]["imported"] as? Int == 0
      )
    }
  }

  @Test func `hours come in through the rule that computes them`() async throws {
    try await working { shell in
      let file = try shell.file(
        "hours.csv",
        "entry,user_name,work_date,start_time,end_time\nWO-1,\"Per, hired\",2026-03-28,22:00,06:00\nWO-1,Per,2026-03-02,8 AM,10:00\n"
      )
      let refused = try await shell.fettle("record", "import", "maintenance.time_entry", file)
      #expect(refused.status == 6 && refused.errors.contains("line 3: start_time: "), "\(refused.errors)")
      let rest = try await shell.rows(
        "record",
        "import",
        "maintenance.time_entry",
        file,
        "--skip-bad",
        shell.folder.path + "/bad.csv"
      )
      #expect(rest[0]["imported"] as? Int == 1)
      let hours = try await shell.rows("time", "list", "WO-1")
      #expect(hours.map { $0["actual_hours"] as? Double } == [7.0], "the night the clocks went forward")
      let id = try #require(hours.first?["id"] as? String)
      try await shell.done("time", "update", id, "--to", "05:00")
      #expect(try await shell.rows("time", "list", "WO-1").first?["actual_hours"] as? Double == 6.0)
      try await shell.done("time", "delete", id)
      #expect(try await shell.rows("time", "list", "WO-1").isEmpty)
    }
  }

  @Test func `people talk about a record and choose what they hear`() async throws {
    try await working { shell in
      try await shell.done(
        "record",
        "comment",
        "maintenance.entry",
        "WO-1",
        "@ana has the part",
        "--as",
        "eva"
      )
      let said = try await shell.rows("record", "comments", "maintenance.entry", "WO-1")
      #expect(said.map { $0["text"] as? String } == ["@ana has the part"])
      let id = try #require(said[0]["id"] as? String)
      try await shell.done(
        "record",
        "comment",
        "maintenance.entry",
        "WO-1",
        "done",
        "--edit",
        id,
        "--as",
        "eva"
      )
      let other = try await shell.fettle(
        "record",
        "comment",
        "maintenance.entry",
        "WO-1",
        "--withdraw",
        id,
        "--as",
        "ana"
      )
      #expect(other.status == 4)
      try await shell.done("record", "comment", "maintenance.entry", "WO-1", "--withdraw", id, "--as", "eva")
      let watched = try await shell.done("record", "watch", "maintenance.entry", "WO-1", "--as", "ana")
      #expect(watched.output.contains("Ana"))
      let kinds = try await shell.rows("inbox", "preferences", "comment=off", "--as", "ana")
      #expect(kinds.first { $0["kind"] as? String == "comment" }?["delivery"] as? String == "off")
      #expect(kinds.first { $0["kind"] as? String == "mention" }?["delivery"] as? String == "inbox")
      let unknown = try await shell.fettle("inbox", "preferences", "coment=off", "--as", "ana")
      #expect(unknown.status == 3 && unknown.errors.contains("did you mean comment?"))
      let operatorWatches = try await shell.fettle("record", "watch", "maintenance.entry", "WO-1")
      #expect(operatorWatches.status == 6)
    }
  }

  @Test func `a company has no more records than the operator lets it`() async throws {
    try await working { shell in
      try await shell.done("company", "quota", "acme", "maintenance.machine=2")
      let refused = try await shell.fettle("machine", "add", "RM-003")
      #expect(refused.status == 5 && refused.errors.contains("error[quota_exceeded]"))
      let file = try shell.file("machines.csv", "code,name\nA,A\n")
      #expect(try await shell.fettle("record", "import", "maintenance.machine", file).status == 5)
      try await shell.done("company", "quota", "acme", "maintenance.machine=")
      try await shell.done("machine", "add", "RM-003")
      let usage = try await shell.rows("company", "quota", "acme")
      #expect(usage.first { $0["type"] as? String == "maintenance.machine" }?["used"] as? Int == 3)
    }
  }

  @Test(arguments: [
    (["record", "show", "--", "positional@0", "0", "0", "record", "show", ""], "maintenance.entry"),
    (
      ["record", "create", "--", "positional@1", "0", "0", "record", "create", "maintenance.machine", ""],
      "code="
    ),
    (["record", "do", "--", "positional@1", "0", "0", "record", "do", "maintenance.entry", ""], "start"),
    (
      ["record", "show", "--", "positional@1", "0", "0", "record", "show", "maintenance.machine", ""],
      "RM-001"
    ),
  ])
  func `the shell is offered types, fields, transitions and records`(words: [String], offer: String)
    async throws
  {
    try await working { shell in
      let offered = try await shell.fettle(arguments: ["---completion"] + words)
      #expect(
        offered.output.split(separator: "\n").contains { $0 == offer },
        "\(offered.output) \(offered.errors)"
      )
    }
  }

  /// A company with two machines, Ana, and entries of 0 to 4 hours.
  private func working(_ body: (Shell) async throws -> Void) async throws {
    try await Shell.open { shell in
      try await shell.makeCompany(["ana": "user"])
      for machine in ["RM-001", "RM-002"] { try await shell.done("machine", "add", machine) }
      for (number, text) in ["Hose leaks", "Gun drips", "Stirrer", "Valve", "Pump"].enumerated() {
        try await shell.done(
          "entry",
          "add",
          text,
          "--machine",
          number == 4 ? "RM-002" : "RM-001",
          "--category",
          "Hydraulics",
          "--set",
          "external_ref=WO-\(number + 1)",
          "--set",
          "estimated_hours=\(number)"
        )
      }
      try await body(shell)
    }
  }
}

extension [String] {
  fileprivate func isSuperset(of words: [String]) -> Bool { Set(self).isSuperset(of: words) }
}
