import EndToEndFixtures
import Foundation
import TestDatabase
import Testing

/// A day of a technician, from the invitation to the report.
@Suite(.serialized, .timeLimit(.minutes(60))) struct TechnicianTests {
  @Test func `an invited technician does a job from start to end, and everybody can see it`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      let invite = try await shell.rows("invite", "create", "--role", "user", "--as", "eva")
      let code = try #require(invite.first?["code"] as? String)
      let joined = try await shell.done(
        "invite",
        "redeem",
        "--email",
        "ana@acme.example",
        "--name",
        "Ana Berg",
        "--code-stdin",
        input: code + "\n"
      )
      #expect(joined.output == "ana@acme.example is user in acme now\n")
      try await shell.done("machine", "add", "RM-001", "--name", "Line marker", "--as", "eva")
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
        "--set",
        "reported_on=2026-03-02",
        "--as",
        "eva"
      )

      let started = try await shell.done("entry", "do", "start", "WO-1", "--as", "ana")
      #expect(started.output.contains("now In progress"))
      try await shell.done(
        "time",
        "add",
        "WO-1",
        "--from",
        "08:00",
        "--to",
        "16:30",
        "--lunch",
        "--date",
        "2026-03-03",
        "--as",
        "ana"
      )
      let hours = try await shell.rows("time", "list", "WO-1")
      #expect(hours.first?["actual_hours"] as? Double == 8)
      #expect(hours.first?["user_name"] as? String == "Ana Berg")
      let completed = try await shell.done("entry", "do", "complete", "WO-1", "--as", "ana")
      #expect(completed.output.contains("now Completed"))

      try await notified(shell)
      try await reported(shell)
      try await recorded(shell)
    }
  }

  /// A worker process notifies Eva, who created the entry.
  private func notified(_ shell: Shell) async throws {
    let notices = try await shell.rows("job", "list", "--kind", "notify.send")
    #expect(notices.map { $0["state"] as? String } == ["queued", "queued"])
    #expect(try await shell.rows("inbox", "list", "--as", "eva").isEmpty)
    let worker = try shell.begin("work")
    try await until {
      try await shell.rows("job", "list").allSatisfy { $0["state"] as? String == "succeeded" }
    }
    worker.signal(SIGTERM)
    #expect(try await worker.end().status == 0)
    let titles = try await shell.rows("inbox", "list", "--as", "eva").compactMap { $0["title"] as? String }
    #expect(Set(titles) == ["Work has started on RM-001", "Work on RM-001 is completed"])
    #expect(try await shell.rows("inbox", "list", "--as", "ana").isEmpty)
    #expect(try await shell.done("inbox", "read", "--as", "eva").output == "2 marked as read\n")
  }

  private func reported(_ shell: Shell) async throws {
    let costs = try await shell.rows("report", "run", "costs")
    #expect(costs.map { $0["machine"] as? String } == ["RM-001"])
    #expect(costs.first?["hours"] as? Double == 8 && costs.first?["year"] as? Int == 2026)
    #expect(try await shell.rows("report", "run", "backlog").isEmpty)
    #expect(try await shell.rows("machine", "list").first?["hours_logged"] as? Double == 8)
  }

  /// The actor of each change: to records in the history, to people and by operators in the audit.
  private func recorded(_ shell: Shell) async throws {
    let history = try await shell.rows("record", "history", "maintenance.entry", "WO-1")
    #expect(history.map { $0["what"] as? String } == ["create", "start", "complete"])
    #expect(history.map { ($0["who"] as? String)?.prefix(3) } == ["Eva", "Ana", "Ana"])
    #expect(history.map { $0["to"] as? String } == ["pending", "in_progress", "completed"])
    let audit = try await shell.rows("audit", "--limit", "1000")
    let actions = Set(audit.compactMap { $0["action"] as? String })
    #expect(actions.isSuperset(of: ["company.created", "invite.created", "record.start", "record.complete"]))
    let start = try #require(audit.first { $0["action"] as? String == "record.start" })
    #expect(start["on_behalf_of"] as? String == "Ana Berg")
    #expect(start["actor"] as? String == "tester")
  }

  @Test func `a forbidden action of a technician is refused, with the allowed ones`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany(["ana": "user", "vera": "viewer"])
      try await shell.done("machine", "add", "RM-001", "--as", "eva")
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
        "ana"
      )
      let viewer = try await shell.fettle("entry", "do", "start", "WO-1", "--as", "vera")
      #expect(viewer.status == 4)
      #expect(viewer.errors.hasPrefix("error[forbidden]: "))
      #expect(viewer.errors.contains("\nhint: "))

      // Only administrators may add machines.
      for name in ["ana", "vera"] {
        let added = try await shell.fettle("machine", "add", "RM-002", "--as", name)
        #expect(added.status == 4 && added.errors.hasPrefix("error[forbidden]: "), "\(added.errors)")
        #expect(added.errors.contains("maintenance.machine.create"), "\(added.errors)")
      }
      let codes = try await shell.rows("machine", "list").map { $0["code"] as? String }
      #expect(codes == ["RM-001"])

      let early = try await shell.fettle("entry", "do", "complete", "WO-1", "--as", "ana")
      #expect(early.status == 5)
      try await shell.done("entry", "do", "start", "WO-1", "--as", "ana")
      try await shell.done("entry", "do", "complete", "WO-1", "--as", "ana")
      let late = try await shell.fettle("entry", "do", "start", "WO-1", "--as", "eva")
      #expect(late.status == 5)
      #expect(late.errors.hasPrefix("error[wrong_state]: "))
      #expect(late.errors.contains("reopen"), "names what is allowed: \(late.errors)")
      let json = try await shell.fettle("entry", "do", "start", "WO-1", "--as", "eva", "--output", "json")
      let document = try JSONSerialization.jsonObject(with: Data(json.errors.utf8)) as? [String: Any]
      #expect("\(document ?? [:])".contains("reopen"))

      try await shell.done("member", "suspend", "ana", "--as", "eva")
      let suspended = try await shell.fettle("entry", "list", "--as", "ana")
      #expect(suspended.status == 4)
    }
  }
}
