import EndToEndFixtures
import Foundation
import Postgres
import TestDatabase
import Testing

/// Workflows at the command line: shown, checked, tightened, upgraded, and applied in bulk.
@Suite(.serialized, .timeLimit(.minutes(60))) struct WorkflowTests {
  /// A sixth app with one workflow, in a folder of the shell.
  private func install(_ version: Int, _ shell: Shell) async throws {
    let folder = shell.folder.appending(path: "yard")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let isFirst = version == 1
    let manifest = """
      app: yard
      version: \(version)
      title: Yard
      types:
        yard.job:
          label: Job
          plural: Jobs
          table: yard.job
          title_field: name
          key: [name]
          workflow: yard.job
          sync: last_writer
          grants: { owner: [all], admin: [all], user: [all], viewer: [read] }
          editable: [name]
          search: [name]
          sort: [name]
      workflows:
        - workflow: yard.job
          version: \(version)
          initial: open
          states:
            open: { label: Open, category: open, color: yellow }
            \(isFirst ? "held: { label: Held, category: open, color: red }" : "waiting: { label: Waiting, category: open }")
            done: { label: Done, category: done, color: green, final: true }
          transitions:
            \(isFirst ? "hold" : "wait"): { from: [open], to: \(isFirst ? "held" : "waiting"), permission: yard.job.finish }
            finish: { from: [open, \(isFirst ? "held" : "waiting")], to: done, permission: yard.job.finish }
          \(isFirst ? "" : "migrate: { held: waiting }")
      """
    try Data(manifest.utf8).write(to: folder.appending(path: "yard.app.yaml"))
    let table = """
      create schema yard;
      create table yard.job (
        like core.record_base including defaults including comments,
        name text not null,
        status text not null,
        status_category text not null,
        primary key (company_id, id)
      );
      comment on table yard.job is 'A job in the yard.';
      comment on column yard.job.name is 'What is done.';
      comment on column yard.job.status is 'Where it stands.';
      comment on column yard.job.status_category is 'What that means to outsiders.';
      """
    let tables = folder.appending(path: "tables")
    try FileManager.default.createDirectory(at: tables, withIntermediateDirectories: true)
    try Data(table.utf8).write(to: tables.appending(path: "01_jobs.sql"))
    try await shell.done("app", "install", folder.path)
  }

  @Test func `a state that only a company's own version has is shown by its label`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      try await shell.done("machine", "add", "RM-1")
      try await shell.done("entry", "add", "Leak", "machine=RM-1", "category=Engine")
      let shown = try await shell.done("workflow", "show", "maintenance.entry", "--format", "file").output
      // The keys are in the order in which people write them.
      #expect(shown.hasPrefix("workflow: maintenance.entry\nversion: "), "\(shown)")
      let last = "  - { name: completed,"
      let own = shown.replacing(
        last,
        with: "  - { name: waiting, label: Waiting for parts, category: active, color: red }\n\(last)"
      )
      .replacing(
        "\ntransitions:\n",
        with: """

          transitions:
            - { name: wait, from: [in_progress], to: waiting, permission: maintenance.entry.start }
            - { name: resume, from: [waiting], to: in_progress, permission: maintenance.entry.start }

          """
      )
      let file = try shell.file("parts.yaml", own + "migrate: { waiting: in_progress }\n")
      try await shell.done("workflow", "install", "maintenance.entry", file)
      try await shell.done("workflow", "activate", "maintenance.entry")
      try await shell.done("entry", "do", "start", "WO-1001")
      let label = "Waiting for parts"
      #expect(try await shell.done("entry", "do", "wait", "WO-1001").output.contains("now \(label)"))
      for words in [["list"], ["show", "WO-1001"], ["history", "WO-1001"]] {
        #expect(try await shell.fettle(arguments: ["entry"] + words).output.contains(label), "\(words)")
      }
      #expect(try await shell.rows("entry", "list").first?["status"] as? String == "waiting")
      let bulk = try await shell.fettle("entry", "do", "complete", "--where", "status=waiting")
      #expect(bulk.errors.contains("complete: 0 done, 1 refused"), "\(bulk.errors)")
    }
  }

  @Test func `a workflow is listed, drawn and checked`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      let listed = try await shell.rows("workflow", "list")
      let entry = try #require(listed.first { $0["workflow"] as? String == "maintenance.entry" })
      #expect(entry["version"] as? Int == 2)
      #expect(entry["tightened"] as? Bool == false)
      let table = try await shell.done("workflow", "show", "maintenance.entry")
      for word in ["in_progress", "remind after P7D", "maintenance.entry.reopen", "comment of 3"] {
        #expect(table.output.contains(word), "\(table.output)")
      }
      let svg = try await shell.done("workflow", "show", "maintenance.machine", "--format", "svg")
      #expect(svg.output.hasPrefix("<svg ") && svg.output.hasSuffix("</svg>\n"))
      let mermaid = try await shell.done("workflow", "show", "maintenance.pm_plan", "--format", "mermaid")
      #expect(mermaid.output.hasPrefix("stateDiagram-v2"))
      let dot = try await shell.done("workflow", "show", "maintenance.entry", "--format", "dot")
      #expect(dot.output.hasPrefix("digraph "))
      #expect(try await shell.done("workflow", "lint", "maintenance").errors.contains("no findings"))
      let missing = try await shell.fettle("workflow", "show", "maintenance.category")
      #expect(missing.status == 3)

      let file = try shell.file(
        "broken.yaml",
        """
        workflow: maintenance.entry
        version: 3
        initial: pending
        states:
          pending: { label: Pending, category: open }
          completed: { label: Completed, category: done, final: true }
        transitions:
          complete:
            from: [pnding]
            to: completed
            permission: maintenance.entry.complete
            guards: [{ path: '$.hours_loged > 0', message: open_entries }]
        """
      )
      let refused = try await shell.fettle("workflow", "lint", file)
      #expect(refused.status == 6)
      #expect(refused.output.contains("unknown_state"))
      #expect(refused.output.contains("transitions.complete.from[0]"))
      let mended = try shell.file(
        "mended.yaml",
        try String(contentsOfFile: file, encoding: .utf8).replacing("pnding", with: "pending")
      )
      let installed = try await shell.fettle("workflow", "lint", mended, "--installed")
      #expect(installed.status == 6)
      #expect(installed.output.contains("unknown_field"))
      #expect(installed.output.contains("missing_migration"))
    }
  }

  @Test func `a company tightens its workflow from a file, and cannot loosen it`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany(["ana": "user"])
      try await shell.done("machine", "add", "RM-001", "--name", "Line marker", "--as", "eva")
      try await shell.done(
        "entry",
        "add",
        "Leaks",
        "--machine",
        "RM-001",
        "--category",
        "Hydraulics",
        "--set",
        "external_ref=WO-1",
        "--as",
        "ana"
      )
      let strict = try shell.file(
        "strict.yaml",
        """
        overlay: maintenance.entry@2
        company: acme
        tighten:
          transitions:
            start: { guards: [{ path: '$.estimated_hours > 0', message: Estimate the hours first }] }
        relabel: { in_progress: In Arbeit }
        """
      )
      try await shell.done("workflow", "lint", strict, "--installed")
      #expect(try await shell.fettle("workflow", "overlay", "set", strict, "--as", "ana").status == 4)
      let set = try await shell.done("workflow", "overlay", "set", strict, "--as", "eva")
      #expect(set.output == "tightened maintenance.entry@2 in acme\n")
      let start = try await shell.fettle("entry", "do", "start", "WO-1", "--as", "ana")
      #expect(start.status == 5)
      #expect(start.errors.contains("Estimate the hours first"))
      #expect(try await shell.done("workflow", "show", "maintenance.entry").output.contains("In Arbeit"))
      let shown = try await shell.done("workflow", "overlay", "show", "maintenance.entry")
      let again = try shell.file("again.yaml", shown.output)
      try await shell.done("workflow", "overlay", "set", again, "--as", "eva")

      let loose = try shell.file(
        "loose.yaml",
        "overlay: maintenance.entry@2\ntighten: { transitions: { reopen: { require: { comment: { min: 1 } } } } }\n"
      )
      let refused = try await shell.fettle("workflow", "overlay", "set", loose, "--as", "eva")
      #expect(refused.status == 6)
      #expect(refused.errors.contains("overlay_shorter_comment"))
      try await shell.done("workflow", "overlay", "remove", "maintenance.entry", "--as", "eva")
      try await shell.done("entry", "do", "start", "WO-1", "--as", "ana")
    }
  }

  @Test func `an activation that is killed half way goes on where it stopped, and moves nothing twice`()
    async throws
  {
    let database = try await TestDatabase.make()
    let superuser = database.connect(as: "postgres", poolSize: 1)
    try await Shell.open(database) { shell in
      try await shell.makeCompany()
      try await install(1, shell)
      let lines = (1...10_000).map { "Job \($0)" }.joined(separator: "\n")
      let csv = try shell.file("jobs.csv", "name\n\(lines)\n")
      try await shell.done("record", "import", "yard.job", csv, "--set", "status=held")
      try await install(2, shell)
      let stays = try await shell.rows("workflow", "list")
      #expect(stays.first { $0["workflow"] as? String == "yard.job" }?["version"] as? Int == 1)

      func moved() async throws -> Int64 {
        try await superuser.value("select count(*) from core.history where kind = 'migrate'", as: Int64.self)
      }
      let running = try shell.begin("workflow", "activate", "yard.job")
      try await until { try await moved() >= 500 }
      running.signal(SIGKILL)
      _ = try await running.end()
      let half = try await moved()
      #expect(half < 10_000, "so that there is something left")
      let waiting = try await shell.rows(
        "record",
        "list",
        "yard.job",
        "--where",
        "status=waiting",
        "--limit",
        "1"
      )
      let name = try #require(waiting.first?["name"] as? String)
      let finished = try await shell.done("record", "do", "yard.job", "finish", name)
      #expect(finished.output.contains("now Done"), "a record that was moved follows the new version already")

      let rest = try await shell.done("workflow", "activate", "yard.job")
      #expect(rest.errors.contains("\(10_000 - half) records moved"), "\(rest.errors)")
      #expect(try await moved() == 10_000)
      let records = try await superuser.value(
        """
        select concat_ws(' ', count(*), count(*) filter (where t.status = 'waiting' and t.version = 2),
          count(*) filter (where t.history_seq = 2))
        from yard.job t
        """,
        as: String.self
      )
      #expect(records == "10000 9999 9999")
      try await shell.done("verify")
    }
    await superuser.close()
  }

  @Test func `a transition over a filter has a result for each record`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany(["ana": "user"])
      try await shell.done("machine", "add", "RM-001", "--name", "Line marker", "--as", "eva")
      for number in 1...3 {
        try await shell.done(
          "entry",
          "add",
          "Leaks",
          "--machine",
          "RM-001",
          "--category",
          "Hydraulics",
          "--set",
          "external_ref=WO-\(number)",
          "--as",
          "ana"
        )
      }
      try await shell.done("entry", "do", "start", "WO-3", "--as", "ana")
      let dry = try await shell.rows(
        "entry",
        "do",
        "start",
        "--where",
        "machine_code=RM-001",
        "--dry-run",
        "--as",
        "ana"
      )
      #expect(dry.map { $0["code"] as? String }.filter { $0 == "wrong_state" }.count == 1)
      #expect(try await shell.rows("entry", "list", "--where", "status=pending").count == 2)
      let all = try await shell.fettle("entry", "do", "start", "--where", "status=pending", "--as", "ana")
      #expect(all.status == 0, "\(all.errors)")
      #expect(all.errors.contains("2 done, 0 refused"))
      #expect(try await shell.rows("entry", "list", "--where", "status=in_progress").count == 3)
      let some = try await shell.fettle(
        "record",
        "do",
        "maintenance.entry",
        "start",
        "--where",
        "machine_code=RM-001",
        "--as",
        "ana"
      )
      #expect(some.status == 5, "all of them were refused")
      let neither = try await shell.fettle("entry", "do", "start", "--as", "ana")
      #expect(neither.status == 64)
    }
  }
}
