import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// A company's day on the pages of the console, without scripts.
@Suite(.timeLimit(.minutes(60))) struct ConsoleTests {
  @Test func `somebody signs up with a company, signs out, and signs in again where they wanted to go`()
    async throws
  {
    let console = try await ConsoleFixture.open()
    let word = "w\(UUID().uuidString.lowercased().filter { $0 != "-" }.prefix(12))"
    var browser = console.browser
    #expect(try await browser.open("/").heading == "Work that moves on")
    try await browser.open("/sign-up")
    let fields = [
      "name": "Ana Ek", "email": "ana@\(word).example", "password": ConsoleFixture.password,
      "company": "Verkstad \(word)", "timezone": "Europe/Stockholm",
    ]
    let weak = try await browser.send("/sign-up", fields.merging(["password": "short"]) { $1 })
    #expect(weak.status == 422)
    #expect(weak.form("/sign-up")?.fields.contains { $0.name == "name" && $0.value == "Ana Ek" } == true)
    let home = try await browser.send("/sign-up", fields)
    #expect(home.status == 200)
    #expect(home.heading.hasPrefix("Today"))
    let list = home.path + "/maintenance/machine"
    let empty = try await browser.open(list)
    #expect(empty.plain.contains("No machines yet."))
    try await browser.open(home.path + "/me")
    #expect(try await browser.send("/sign-out").heading == "Work that moves on")
    let asked = try await browser.open(list)
    #expect(asked.heading == "Sign in")
    let wrong = try await browser.send(
      "/sign-in",
      ["email": "ana@\(word).example", "password": "wrong wrong wrong"]
    )
    #expect(wrong.plain.contains("The address or the password is wrong."))
    let there = try await browser.send(
      "/sign-in",
      ["email": "ana@\(word).example", "password": ConsoleFixture.password]
    )
    #expect(there.path == list)
    #expect(there.heading == "Machines")
  }

  @Test func `an entry is reported, started, commented, completed, and its story reads right`() async throws {
    let console = try await ConsoleFixture.open()
    var browser = try await console.browser("user")
    try await browser.open(console.at("/maintenance/entry/new"))
    let record = try await browser.send(
      "/maintenance/entry/new",
      [
        "f.machine_id": console.shop.machine.text, "f.category_id": console.shop.category.text,
        "f.description": "Hose <b>leaks</b>", "f.estimated_hours": "2,5",
      ]
    )
    #expect(record.status == 200, "\(record.plain)")
    #expect(record.heading.hasPrefix("Work order WO-"))
    #expect(record.text.contains("Hose &lt;b&gt;leaks&lt;/b&gt;"))
    #expect(record.plain.contains("Estimated hours 2.5"))
    #expect(try await browser.send("/do/start").plain.contains("In progress"))
    try await browser.send("/comments", ["body": "Ordered a new one"])
    let done = try await browser.send("/do/complete")
    #expect(done.plain.contains("Completed"))
    #expect(done.plain.contains("Member user chose “Complete”: In progress → Completed"))
    #expect(done.plain.contains("Member user wrote"))
    #expect(done.plain.contains("Ordered a new one"))
    #expect(done.plain.contains("Member user created it"))
    // A user may not reopen; an admin must say why.
    #expect(done.form("/do/reopen") == nil)
    #expect(!done.links.contains { $0.hasSuffix("/do/reopen") })
    var admin = try await console.browser("admin")
    let page = try await admin.open(done.path)
    let reopen = try #require(page.links.first { $0.hasSuffix("/do/reopen") })
    try await admin.open(reopen)
    let refused = try await admin.send("/do/reopen", ["comment": ""])
    #expect(refused.status == 422)
    #expect(refused.plain.contains("One thing to fix"))
    let again = try await admin.send("/do/reopen", ["comment": "It leaks again"])
    #expect(again.status == 200)
    #expect(again.plain.contains("It leaks again"))
  }

  @Test func `a deletion is asked for first`() async throws {
    let console = try await ConsoleFixture.open()
    let entry = try await console.shop.entry("admin")
    var browser = try await console.browser("admin")
    let path = console.at("/maintenance/entry/\(entry.text)")
    try await browser.open(path)
    let question = try await browser.open(path + "/delete")
    #expect(question.heading.hasPrefix("Delete work order WO-"))
    #expect(try await browser.open(path).status == 200)
    try await browser.open(path + "/delete")
    let list = try await browser.send("/delete", ["comment": "Reported twice"])
    #expect(list.heading == "Work orders")
    #expect(try await browser.open(path).plain.contains("It is deleted"))
  }

  @Test func `a form that is sent twice makes one record`() async throws {
    let console = try await ConsoleFixture.open()
    var browser = try await console.browser("admin")
    let form = try #require(try await browser.open(console.at("/maintenance/machine/new")).form("/new"))
    let fields = form.fields.filter { !$0.name.hasPrefix("f.") } + [("f.code", "RM-7"), ("f.name", "Paver")]
    let first = try await browser.post(form.action, fields)
    let second = try await browser.post(form.action, fields)
    #expect(first.path == second.path)
    #expect(second.heading.contains("RM-7"))
  }

  @Test func `two people change one record: nothing is overwritten, and each sees the other's value`()
    async throws
  {
    let console = try await ConsoleFixture.open()
    let entry = try await console.shop.entry("admin", ["estimated_hours": 4])
    let address = console.at("/maintenance/entry/\(entry.text)")
    var (first, second) = (try await console.browser("admin"), try await console.browser("owner"))
    try await first.open(address + "/edit")
    try await second.open(address + "/edit")
    try await second.send("/edit", ["f.description": "Pump is loud"])
    let stale = try await first.send("/edit", ["f.description": "Pump is hot", "f.priority": "1"])
    #expect(stale.status == 409)
    #expect(stale.heading == "Changed meanwhile")
    for text in ["Pump is hot", "Pump is loud", "leaks"] { #expect(stale.plain.contains(text), "\(text)") }
    let now = try await second.open(address)
    #expect(now.plain.contains("Pump is loud"))
    let saved = try await first.send("/edit", ["f.description": "Pump is hot", "f.priority": "1"])
    #expect(saved.status == 200)
    #expect(saved.plain.contains("Pump is hot"))
    #expect(saved.plain.contains("Urgent"))
    #expect(saved.plain.contains("Pump is loud → Pump is hot"))
  }

  @Test func `what is wrong stands beside the field, and what was written stays`() async throws {
    let console = try await ConsoleFixture.open()
    var browser = try await console.browser("admin")
    try await browser.open(console.at("/maintenance/entry/new"))
    let page = try await browser.send(
      "/new",
      [
        "f.machine_id": console.shop.machine.text, "f.category_id": console.shop.category.text,
        "f.description": "Drips", "f.estimated_hours": "much",
      ]
    )
    #expect(page.status == 422)
    #expect(page.text.contains("id=\"field-estimated_hours-error\""))
    #expect(page.plain.contains("Write a number, such as 5.5."))
    #expect(page.form("/new")?.fields.contains { $0.name == "f.description" && $0.value == "Drips" } == true)
    #expect(page.links.contains("#field-estimated_hours"))
  }

  @Test func `work is completed at an earlier time, and a time to come is refused as people read it`()
    async throws
  {
    let console = try await ConsoleFixture.open()
    let entry = try await console.shop.entry()
    let company = console.shop.company.id
    try await console.shop.engine.superuser.transaction { tx in
      try tx.execute("set local session_replication_role = replica")
      try tx.execute(
        """
        update maintenance.entry set created_at = created_at - interval '10 days'
        where company_id = \(company) and id = \(entry)
        """
      )
    }
    let day = try await console.shop.engine.superuser.value(
      "select (now() - interval '3 days')::date::text",
      as: String.self
    )
    var browser = try await console.browser("admin")
    try await browser.open(console.at("/maintenance/entry/\(entry.text)/do/start"))
    try await browser.send("/start", ["f.started_at": "\(day)T08:15"])
    let record = try await browser.open(console.at("/maintenance/entry/\(entry.text)"))
    #expect(record.plain.contains("Complete at an earlier time"))
    let path = try #require(record.links.first { $0.hasSuffix("/do/complete") })
    let form = try await browser.open(path)
    #expect(form.plain.contains("Leave it empty if it is now."))
    let refused = try await browser.send(
      "/complete",
      ["f.completed_at": "2099-05-17T10:00", "comment": "Done"]
    )
    #expect(refused.status == 422)
    #expect(refused.plain.contains("17 May 2099 10:00 is in the future."), "\(refused.plain.suffix(900))")
    #expect(refused.links.contains("#field-completed_at"))
    let done = try await browser.send("/complete", ["f.completed_at": "\(day)T16:30", "comment": "Done"])
    #expect(done.plain.contains("08:15") && done.plain.contains("16:30"), "\(done.plain.suffix(900))")
  }

  @Test func `several records at once: the preview says what then happens`() async throws {
    let console = try await ConsoleFixture.open()
    for _ in 0..<3 { _ = try await console.shop.entry() }
    let started = try await console.shop.entry()
    try await console.shop.take("start", started)
    var browser = try await console.browser("admin")
    try await browser.open(console.at("/maintenance/entry?status=pending"))
    let preview = try await browser.send("/bulk", ["scope": "all", "transition": "start"])
    #expect(preview.plain.contains("3 records would get “Start”. Nothing has been changed yet."))
    let before = try await browser.open(console.at("/maintenance/entry?status=pending"))
    #expect(before.plain.contains("3 records"))
    try await browser.send("/bulk", ["scope": "all", "transition": "start"])
    let done = try await browser.send("/bulk")
    #expect(done.plain.contains("3 records: “Start” is done."))
    #expect(
      try await browser.open(console.at("/maintenance/entry?status=in_progress")).plain.contains("4 records")
    )
  }

  @Test func `a search finds records of every type by number and by text`() async throws {
    let console = try await ConsoleFixture.open()
    _ = try await console.shop.entry("user", ["description": "Roller bearing squeals"])
    var browser = try await console.browser("viewer")
    let page = try await browser.open(console.at("/search?q=roller"))
    #expect(page.plain.contains("Roller bearing squeals"))
    #expect(page.links.contains { $0.hasSuffix("/maintenance/machine/\(console.shop.machine.text)") })
    #expect(try await browser.open(console.at("/search?q=nothing-like-it")).plain.contains("Nothing found"))
  }

  @Test func `Swedish is chosen once, and numbers and dates follow`() async throws {
    let console = try await ConsoleFixture.open()
    var browser = try await console.browser("admin")
    try await browser.open(console.at("/me"))
    let me = try await browser.send("/me", ["language": "sv"])
    #expect(me.text.contains("<html lang=\"sv\""))
    try await browser.open(console.at("/maintenance/entry/new"))
    let record = try await browser.send(
      "/new",
      [
        "f.machine_id": console.shop.machine.text, "f.category_id": console.shop.category.text,
        "f.description": "Slangen läcker", "f.estimated_hours": "5,5", "f.reported_on": "2026-05-17",
      ]
    )
    #expect(record.heading.hasPrefix("Arbetsorder WO-"))
    #expect(record.plain.contains("Beräknade timmar 5,5"))
    #expect(record.plain.contains("17 maj 2026"))
    #expect(record.plain.contains("Väntar"))
    let form = try await browser.open(record.path + "/edit")
    #expect(
      form.form("/edit")?.fields.contains { $0.name == "f.estimated_hours" && $0.value == "5,50" } == true
    )
  }

  @Test func `a person who reads Swedish sees in Swedish which hours overlap`() async throws {
    let console = try await ConsoleFixture.open()
    let entry = try await console.shop.entry()
    var browser = try await console.browser("user")
    try await browser.open(console.at("/me"))
    try await browser.send("/me", ["language": "sv"])
    let hours = ["f.entry_id": entry.text, "f.work_date": "2026-05-04", "f.end_time": "09:00"]
    try await browser.open(console.at("/maintenance/time_entry/new"))
    let first = try await browser.send("/new", hours.merging(["f.start_time": "08:00"]) { $1 })
    #expect(first.status == 200, "\(first.plain.suffix(900))")
    try await browser.open(console.at("/maintenance/time_entry/new"))
    let second = try await browser.send("/new", hours.merging(["f.start_time": "08:30"]) { $1 })
    #expect(second.status == 422)
    #expect(
      second.plain.contains("arbetade redan från 08:00 till 09:00 den 2026-05-04 på WO-"),
      "\(second.plain.suffix(900))"
    )
  }

  @Test func `an owner invites somebody, who joins by the code; roles change, and a suspended member is out`()
    async throws
  {
    let console = try await ConsoleFixture.open()
    var owner = try await console.browser("owner")
    try await owner.open(console.at("/people"))
    let made = try await owner.send("/people/invite", ["role": "user", "uses": "1", "days": "7"])
    #expect(made.status == 201)
    #expect(made.text.contains("class=\"qr\""))
    let address = try #require(made.links.first { $0.hasPrefix("\(ConsoleFixture.origin)/sign-up?code=") })
    var guest = console.browser
    let form = try await guest.open(String(address.dropFirst(ConsoleFixture.origin.count)))
    #expect(form.form("/sign-up")?.fields.contains { $0.name == "code" && !$0.value.isEmpty } == true)
    let email = "nils@w\(UUID().uuidString.lowercased().prefix(8)).example"
    let home = try await guest.send(
      "/sign-up",
      ["name": "Nils Ny", "email": email, "password": ConsoleFixture.password, "company": ""]
    )
    #expect(home.path == console.at(""))
    let people = try await owner.open(console.at("/people"))
    #expect(people.plain.contains("Nils Ny"))
    let role = try #require(
      people.forms.first { $0.action.hasSuffix("/role") && $0.text.contains("Nils Ny") }
    )
    #expect(try await owner.post(role.action, [("role", "viewer")]).status == 200)
    // Another role ends the sessions of the old one.
    #expect(try await guest.open(console.at("")).heading == "Sign in")
    let suspend = role.action.replacing("/role", with: "/suspend")
    #expect(try await owner.post(suspend, []).plain.contains("Suspended"))
    #expect(try await guest.open(console.at("")).heading == "Sign in")
    // A viewer sees who is there, and changes nothing.
    var viewer = try await console.browser("viewer")
    let seen = try await viewer.open(console.at("/people"))
    #expect(seen.status == 403 || seen.forms.isEmpty)
    #expect(try await viewer.post(suspend.replacing("suspend", with: "resume"), []).status >= 400)
  }

  @Test func `a report offers the values of all its rows, and says what its chart leaves out`() async throws {
    let console = try await ConsoleFixture.open()
    let shop = console.shop
    let names = (100..<161).map { "MX-\($0)" }
    for name in names {
      let fields: JSONObject = ["code": .string(name), "name": .string(name)]
      let admin = shop.acting("admin")
      let machine = try await shop.records.create(admin, type: "maintenance.machine", fields: fields)
      _ = try await shop.entry("admin", ["machine_id": .id(machine.id)])
    }
    var browser = try await console.browser("owner")
    let page = try await browser.open(console.at("/reports/backlog"))
    #expect(page.plain.contains("25 more are not drawn"), "\(page.plain.prefix(600))")
    let list = /<datalist id="f-machine-list">(.*?)<\/datalist>/
    let suggestions = try #require(page.text.firstMatch(of: list)?.1)
    #expect(names.allSatisfy { suggestions.contains("value=\"\($0)\"") }, "\(suggestions)")
    let one = try await browser.open(console.at("/reports/backlog?f.machine=MX-160"))
    #expect(one.plain.contains("MX-160") && one.text.contains("name=\"f.machine\""))
    #expect(one.text.matches(of: /<tr><td[^>]*>/).count == 1, "\(one.plain)")
  }

  @Test func `a report is a table, and its CSV is beside it`() async throws {
    let console = try await ConsoleFixture.open()
    _ = try await console.shop.entry()
    var browser = try await console.browser("owner")
    let list = try await browser.open(console.at("/reports"))
    #expect(list.links.contains(console.at("/reports/backlog")))
    let page = try await browser.open(console.at("/reports/backlog"))
    #expect(page.plain.contains("RM-001"))
    #expect(page.links.contains("/v1/reports/backlog?format=csv"))
    // Codes, roles and times are as people read them.
    let people = try await browser.open(console.at("/reports/members")).plain
    #expect(people.contains("Account status") && people.contains("Active") && people.contains("Owner"))
    #expect(people.contains(/Member since/) && !people.contains(/[0-9]T[0-9]/))
    let changes = try await browser.open(console.at("/reports/audit")).plain
    #expect(changes.contains("Role: ") && !changes.contains("{"), "\(changes.suffix(600))")
    try await browser.open(console.at("/me"))
    try await browser.send("/me", ["language": "sv"])
    let personer = try await browser.open(console.at("/reports/members")).plain
    #expect(personer.contains("Kontots läge") && personer.contains("Aktiv") && personer.contains("Ägare"))
  }
}
