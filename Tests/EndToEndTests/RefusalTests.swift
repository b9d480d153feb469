import Cluster
import EndToEndFixtures
import Foundation
import TestDatabase
import Testing

/// Each refusal has its exit code, its name, and a useful hint.
@Suite(.serialized, .timeLimit(.minutes(60))) struct RefusalTests {
  @Test func `a refused command has the documented exit code`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
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
      for refusal in Self.refusals {
        let outcome = try await shell.fettle(arguments: refusal.words)
        let line = "\(refusal.words.joined(separator: " ")): \(outcome.errors)"
        #expect(outcome.status == refusal.status, "\(line)")
        #expect(outcome.output.isEmpty, "\(line)")
        #expect(outcome.errors.lowercased().contains(refusal.says.lowercased()), "\(line)")
        #expect(outcome.errors.hasPrefix("error["), "\(line)")
        #expect(outcome.errors.contains("\nhint: "), "\(line)")
      }
    }
  }

  private struct Refusal {
    let status: Int32
    let words: [String]
    let says: String

    init(_ status: Int32, _ line: String, _ says: String) {
      self.status = status
      words = line.split(separator: " ").map(String.init)
      self.says = says
    }
  }

  private static let refusals = [
    Refusal(3, "machine show RM-01", "did you mean RM-001?"),
    // A path that cannot be used is input, not a defect.
    Refusal(6, "manual --install /proc/fettle", "cannot write"),
    Refusal(6, "person export eva@acme.example --to /proc/fettle", "cannot write"),
    Refusal(6, "company export acme /proc/fettle.zip", "cannot create /proc/fettle.zip"),
    Refusal(6, "export -f /proc/fettle.yaml", "cannot write"),
    Refusal(6, "company suspend system", "the engine's own company"),
    Refusal(6, "company export system system.zip", "the engine's own company"),
    Refusal(6, "company erase system --now --yes", "the engine's own company"),
    Refusal(6, "job enqueue history.seal --queue Bad", "cannot be the name of a queue"),
    Refusal(6, #"job enqueue history.seal --payload {"a":1,"a":2}"#, "invalid_json"),
    Refusal(3, "queue pause --kind report.print", "add --new-kind"),
    Refusal(3, "entry list --company acm", "did you mean acme?"),
    Refusal(3, "entry list --as ev", "did you mean eva?"),
    Refusal(3, "entry show WO-2", "WO-1"),
    Refusal(3, "record list maintenance.entri", "did you mean maintenance.entry?"),
    Refusal(3, "report run backlock", "did you mean backlog?"),
    Refusal(5, "company create acme --owner eva@acme.example", "already"),
    Refusal(3, "entry do strt WO-1", "did you mean start?"),
    Refusal(
      6,
      "company create beta --owner eva@b.example --timezone Europe/Stockolm",
      "did you mean Europe/Stockholm?"
    ),
    Refusal(6, "company create beta --owner eva", "eva"),
    Refusal(6, "company create Beta! --owner eva@b.example", "Beta!"),
    Refusal(6, "member add ana@ --role user", "ana@"),
    Refusal(3, "member remove-second-factor nobody@acme.example", "there is no person"),
    Refusal(3, "member password-link nobody@acme.example", "there is no person"),
    Refusal(5, "member remove-second-factor eva@acme.example", "no second factor"),
    Refusal(6, "time add WO-1 --from 8:00AM --to 16:30 --guest Per", "8:00AM"),
    Refusal(6, "time add WO-1 --from 08:00 --to 08:00 --guest Per", "08:00"),
    Refusal(6, "time add WO-1 --from 16:30 --to 15:00 --guest Per", "more than 16"),
    Refusal(6, "entry update WO-1 --set estimated_hours=many", "many"),
    Refusal(6, "entry update WO-1 --set descripton=x", "did you mean description?"),
    Refusal(3, "job show nonsense", "fettle job list"),
    Refusal(3, "entry import nowhere.csv --map description=Text", "nowhere.csv"),
    Refusal(64, "entry lst", "did you mean fettle entry list?"),
    Refusal(64, "entry list --columns machin_code", "machine_code"),
    Refusal(64, "entry list --output xml", "json"),
    Refusal(64, "work --concurrency 0", "--concurrency is 1 to 1000"),
    Refusal(64, "machine show", "error[usage]: missing expected argument `<record>`"),
    Refusal(64, "entry list --machne RM-001", "hint: did you mean `--machine`?"),
    Refusal(64, "entry list --limit many", "run `fettle entry list --help` for usage"),
    Refusal(64, "manual entry lst", "did you mean `fettle manual entry list`?"),
    Refusal(3, "entry list --machine rm-002", "did you mean RM-001?"),
    Refusal(3, "entry list --category Hydraulik", "did you mean Hydraulics?"),
    Refusal(6, "entry list --status pendng", "did you mean pending?"),
    Refusal(6, "entry do start --where status=pendng", "did you mean pending?"),
    Refusal(6, "record list maintenance.entry --where status=done", "use one of: pending"),
    Refusal(3, "queue pause --kind webhook.delver", "did you mean webhook.deliver?"),
    Refusal(6, "queue pause defalt", "did you mean default?"),
    Refusal(3, "job list --kind notify.sent", "did you mean notify.send?"),
    Refusal(6, "job list --where queue=defaul", "did you mean default?"),
    Refusal(3, "job enqueue histori.seal", "did you mean history.seal?"),
    Refusal(
      6,
      "webhook add https://hooks.example/x --event maintenance.entry.complete",
      "did you mean maintenance.entry.completed?"
    ),
  ]

  @Test func `with JSON asked for, a refusal is JSON`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      let outcome = try await shell.fettle("machine", "show", "RM-01", "-o", "json")
      #expect(outcome.status == 3)
      let json = try JSONSerialization.jsonObject(with: Data(outcome.errors.utf8)) as? [String: Any]
      let error = try #require(json?["error"] as? [String: Any] ?? json)
      #expect(error["code"] as? String == "not_found")
      #expect(error["hint"] is String)
    }
  }

  @Test func `a PostgreSQL that has stopped is unavailable, not a riddle`() async throws {
    try await EphemeralCluster.withOwn { cluster in
      let database = try await TestDatabase.make(in: cluster)
      try await Shell.open(database) { shell in
        try await shell.makeCompany()
        try await cluster.stop(mode: .immediate)
        for words in [
          ["entry", "list"], ["company", "list"], ["doctor"], ["work"], ["report", "run", "backlog"],
        ] {
          let outcome = try await shell.fettle(arguments: words)
          #expect(outcome.status == 7, "\(words): \(outcome.errors)")
          #expect(outcome.errors.contains("error[unavailable]: "), "\(words): \(outcome.errors)")
          #expect(outcome.errors.contains("\nhint: "), "\(words): \(outcome.errors)")
        }
      }
    }
  }
}
