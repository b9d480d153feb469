import API
import Console
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// What the operator sees and does in the console.
@Suite(.timeLimit(.minutes(60))) struct OperatorActTests {
  @Test func `every section shows what it is about, in two languages`() async throws {
    let fixture = try await OperatorFixture.open()
    try await fixture.addDead(3)
    var browser = try await fixture.operatorsBrowser()
    let slug = fixture.shop.company.slug
    let pages = [
      ("/", "Overview", "set fsync to on"), ("/queues", "Queues", "test.job"),
      ("/jobs", "Jobs", "Newest first"),
      ("/jobs?state=dead", "Jobs", "Matching jobs: 3"),
      ("/schedules?company=\(slug)", "Schedules", "history.seal"),
      ("/workers", "Workers", "No worker is running"), ("/companies", "Companies", "Workshop"),
      ("/companies/\(slug)", "Workshop", "owner@\(slug).example"),
      ("/companies/\(slug)/suspend", "Suspend Workshop?", "change nothing"),
      ("/audit?company=\(slug)", "Audit", "company.created"), ("/verify", "Verify", "It changes nothing"),
      ("/sync?company=\(slug)", "Devices", "Nothing waits"),
    ]
    for (path, heading, text) in pages {
      let page = try await browser.open(path)
      #expect(page.heading == heading, "\(path)")
      #expect(page.plain.contains(text), "\(path): \(page.plain)")
      #expect(page.plain.contains("operator karin"), "\(path)")
      #expect(!page.text.contains("operator."), "\(path) shows a key")
      #expect(page.text.utf8.count < 100_000, "\(path)")
    }
    browser.headers.append(("accept-language", "sv"))
    for (path, _, _) in pages {
      let page = try await browser.open(path)
      #expect(page.text.contains("<html lang=\"sv\">"), "\(path)")
      #expect(page.plain.contains("Fettle driftledning"), "\(path)")
    }
  }

  @Test func `a job shows its payload without secrets, and is retried, cancelled and dismissed`() async throws
  {
    let fixture = try await OperatorFixture.open()
    try await fixture.addDead(2)
    let slug = fixture.shop.company.slug
    let dead = try await fixture.jobs(.dead)
    var browser = try await fixture.operatorsBrowser()
    try await browser.open("/jobs/\(slug)/\(dead[0].text)")
    #expect(browser.page.plain.contains("RM-1"))
    #expect(!browser.page.text.contains("hush-hush"))
    #expect(browser.page.text.contains("[redacted]"))
    try await browser.send("/retry")
    #expect(browser.page.heading == "test.job")
    #expect(try await fixture.jobs(.dead) == [dead[1]])
    try await browser.send("/cancel")
    #expect(try await fixture.jobs(.cancelled) == [dead[0]])
    try await browser.open("/jobs/\(slug)/\(dead[1].text)")
    try await browser.send("/discard")
    #expect(try await fixture.jobs(.dead) == [])
    // A second tab shows a state that has passed.
    let page = try await browser.post("/jobs/\(slug)/\(dead[1].text)/discard", [])
    #expect(page.status == 422)
    #expect(page.plain.contains("cannot be discarded"))
    let audit = try await fixture.audit().prefix(3)
    #expect(
      audit == [
        "job.discarded by operator karin", "job.cancelled by operator karin", "job.retried by operator karin",
      ]
    )
  }

  @Test func `4,000 dead jobs are retried, and the dry run says so before`() async throws {
    let fixture = try await OperatorFixture.open()
    try await fixture.addDead(4_000)
    try await fixture.addDead(7, kind: "test.other")
    var browser = try await fixture.operatorsBrowser()
    try await browser.open("/jobs?state=dead&kind=test.job")
    #expect(browser.page.plain.contains("Matching jobs: "))
    try await browser.send("/runs/preview", ["action": "retry"])
    for _ in 0..<100 where browser.page.form("/stop") != nil {
      try await browser.open(browser.page.path)
    }
    #expect(browser.page.heading == "Preview: Retry")
    #expect(browser.page.plain.contains("4000 jobs would change"), "\(browser.page.plain)")
    #expect(try await fixture.audit().contains { $0.hasPrefix("job.retried") } == false)
    try await browser.send("/runs/jobs")
    for _ in 0..<100 where browser.page.form("/stop") != nil {
      try await browser.open(browser.page.path)
    }
    #expect(browser.page.heading == "Retry")
    #expect(browser.page.plain.contains("4000 jobs changed"), "\(browser.page.plain)")
    let dead = try await fixture.jobs(.dead)
    #expect(dead.count == 7)
    let retried = try await fixture.audit().filter { $0 == "job.retried by operator karin" }
    #expect(retried.count == 20, "an entry a batch")
    await fixture.console.end()
  }

  @Test func `queues are paused and limited, schedules and companies changed, each audited`() async throws {
    let fixture = try await OperatorFixture.open()
    try await fixture.addDead(1)
    let slug = fixture.shop.company.slug
    var browser = try await fixture.operatorsBrowser()
    try await browser.open("/queues")
    try await browser.send("/queues/set", ["rule": "pause", "kind": "test.job", "reason": "utility down"])
    #expect(browser.page.status == 200)
    #expect(browser.page.plain.contains("utility down"))
    #expect(browser.page.plain.contains("Paused"))
    try await browser.send("/queues/resume")
    #expect(!browser.page.plain.contains("utility down"))
    try await browser.send(
      "/queues/set",
      ["rule": "limit", "kind": "test.job", "company": slug, "running": "4", "rate": "100/minute"]
    )
    #expect(browser.page.plain.contains("4 running, 100/minute"), "\(browser.page.plain)")
    try await browser.send("/queues/unlimit")
    #expect(browser.page.plain.contains("Nothing is paused or limited"))

    try await browser.open("/schedules?company=\(slug)")
    try await browser.send("/history.seal/pause")
    #expect(browser.page.plain.contains("Paused"))
    try await browser.send("/history.seal/resume")
    try await browser.send("/history.seal/run")
    #expect(try await fixture.jobs(.queued).count >= 1)

    try await browser.open("/companies/\(slug)/suspend")
    try await browser.send("/companies/\(slug)/suspend")
    #expect(browser.page.plain.contains("Suspended"))
    try await browser.open("/companies/\(slug)/activate")
    try await browser.send("/companies/\(slug)/activate")
    #expect(browser.page.plain.contains("Active"))
    let audit = Set(try await fixture.audit())
    for action in [
      "queue.limited", "queue.unlimited", "schedule.paused", "schedule.resumed", "schedule.run",
      "company.status_changed",
    ] { #expect(audit.contains("\(action) by operator karin"), "\(action)") }
    let everywhere = try await fixture.audit(of: "system")
    #expect(
      Array(everywhere.prefix(2)) == ["queue.resumed by operator karin", "queue.paused by operator karin"]
    )
  }

  @Test func `a verification runs to its end, and its result is that of the command`() async throws {
    let fixture = try await OperatorFixture.open()
    var browser = try await fixture.operatorsBrowser()
    try await browser.open("/verify")
    try await browser.send("/runs/verify", ["company": fixture.shop.company.slug])
    for _ in 0..<100 where browser.page.form("/stop") != nil {
      try await browser.open(browser.page.path)
    }
    #expect(browser.page.plain.contains("Verified: nothing is wrong"), "\(browser.page.plain)")
    #expect(browser.page.plain.contains("companies: 1"))
    // Somebody alters a record behind the engine.
    let company = fixture.shop.company.id
    try await fixture.shop.engine.superuser.transaction { tx in
      try tx.execute("set local session_replication_role = replica")
      try tx.execute("update maintenance.machine set version = version + 1 where company_id = \(company)")
    }
    try await browser.open("/verify")
    try await browser.send("/runs/verify", ["quick": "true"])
    for _ in 0..<100 where browser.page.form("/stop") != nil {
      try await browser.open(browser.page.path)
    }
    #expect(browser.page.plain.contains("feed_version"), "\(browser.page.plain)")
    await fixture.console.end()
  }

  @Test func `pages keep to their statements, and ten viewers cost those of one`() async throws {
    let fixture = try await OperatorFixture.open()
    try await fixture.addDead(120)
    let slug = fixture.shop.company.slug
    let job = try await fixture.jobs(.dead)[0]
    let browser = try await fixture.operatorsBrowser()
    // Paths with the most statements that they may need, whatever the number of jobs.
    for (path, most) in [
      ("/queues", 8), ("/jobs", 8), ("/jobs?state=dead", 9), ("/jobs?state=dead&company=\(slug)", 14),
      ("/jobs/\(slug)/\(job.text)", 9), ("/workers", 1), ("/companies", 1), ("/verify", 1),
    ] {
      let statements = try await fixture.log.during {
        var viewer = browser
        let page = try await viewer.open(path)
        #expect(page.status == 200, "\(path)")
      }
      #expect(statements.count <= most, "\(path): \(statements.count)\n\(statements.joined(separator: "\n"))")
      print("statements of \(path): \(statements.count)")
    }
    let shared = try await OperatorFixture.open(freshness: .seconds(3_600))
    try await shared.addDead(120)
    let first = try await shared.operatorsBrowser()
    _ = try await shared.log.during {
      var viewer = first
      try await viewer.open("/queues")
    }
    let others = try await shared.log.during {
      for _ in 0..<10 {
        var viewer = first
        try await viewer.open("/queues")
      }
    }
    // The pauses and limits are read each time; the counts are not.
    #expect(others.count == 10, "\(others.joined(separator: "\n"))")
    #expect(others.allSatisfy { $0.contains("core.job_pause") })
  }

  @Test func `all jobs are reached page by page, newest first, each once`() async throws {
    let fixture = try await OperatorFixture.open()
    try await fixture.addDead(123)
    var browser = try await fixture.operatorsBrowser()
    var seen: [String] = []
    try await browser.open("/jobs?state=dead")
    for _ in 0..<5 {
      seen += browser.page.links.filter { $0.hasPrefix("/jobs/") }
      guard let next = browser.page.links.first(where: { $0.contains("after=") }) else { break }
      try await browser.open(next)
    }
    #expect(seen.count == 123)
    #expect(Set(seen).count == 123)
  }
}
