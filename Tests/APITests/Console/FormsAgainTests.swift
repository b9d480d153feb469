import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Store
import Testing

/// Forms that are refused, sent late, or sent again: what was written stays, and what others have saved is not overwritten.
@Suite(.timeLimit(.minutes(60))) struct FormsAgainTests {
  /// The fields that a form sends.
  private static func fields(_ page: TestPage, _ action: String) throws -> [String: String] {
    let form = try #require(page.form(action), "\(page.plain.suffix(900))")
    return Dictionary(form.fields.map { ($0.name, $0.value) }) { first, _ in first }
  }

  @Test func `a corrected form still notices what others have saved meanwhile`() async throws {
    let console = try await ConsoleFixture.open()
    let entry = try await console.shop.entry("admin")
    let address = console.at("/maintenance/entry/\(entry.text)")
    var (eva, olle) = (try await console.browser("admin"), try await console.browser("owner"))
    try await eva.open(address + "/edit")
    try await olle.open(address + "/edit")
    try await olle.send("/edit", ["f.due_on": "2026-08-01", "f.external_ref": "PO-7"])
    let refused = try await eva.send("/edit", ["f.actual_cost": "abc"])
    #expect(refused.status == 422)
    let corrected = try await eva.send("/edit", ["f.actual_cost": "12,50"])
    #expect(
      corrected.status == 409 && corrected.heading == "Changed meanwhile",
      "\(corrected.plain.suffix(900))"
    )
    #expect(!corrected.plain.contains("PO-7"), "a choice is offered for changed fields only")
    let saved = try await eva.send("/edit", ["f.actual_cost": "12,50"])
    for text in ["12.50", "PO-7", "1 Aug 2026"] { #expect(saved.plain.contains(text), "\(text)") }
  }

  @Test func `with more machines than are listed, an untouched field is no change, and no field is added`()
    async throws
  {
    let console = try await ConsoleFixture.open()
    let shop = console.shop
    for number in 1...55 {
      _ = try await shop.records.create(
        shop.acting("admin"),
        type: "maintenance.machine",
        fields: ["code": .string("P-\(number + 100)"), "name": "Pump"]
      )
    }
    let entry = try await shop.entry("admin")
    let address = console.at("/maintenance/entry/\(entry.text)")
    var (eva, olle) = (try await console.browser("admin"), try await console.browser("owner"))
    let form = try Self.fields(try await eva.open(address + "/edit"), "/edit")
    #expect(form["f.machine_id"] == "RM-001" && form["b.machine_id"] == "RM-001")
    try await olle.open(address + "/edit")
    try await olle.send("/edit", ["f.description": "Pump is loud"])
    let stale = try await eva.send("/edit", ["f.description": "Pump is hot"])
    #expect(stale.status == 409)
    #expect(!stale.plain.contains("(unknown)") && !stale.plain.contains("Machine RM-001"))
    // Of another machine, the page shows the name.
    try await eva.open(address + "/edit")
    try await olle.open(address + "/edit")
    try await olle.send("/edit", ["f.description": "Pump is silent"])
    let other = try await eva.send("/edit", ["f.machine_id": "P-155"])
    #expect(other.plain.contains("Machine P-155 RM-001 RM-001"), "\(other.plain.suffix(900))")
    let moved = try await eva.send("/edit", ["f.machine_id": "P-155"])
    #expect(moved.plain.contains("P-155") && moved.plain.contains("Pump is silent"))

    let new = try await eva.open(console.at("/maintenance/entry/new"))
    let names = try Set(Self.fields(new, "/new").keys)
    let refused = try await eva.send("/new", ["f.estimated_hours": "much", "f.machine_id": "P-120"])
    #expect(refused.status == 422)
    #expect(try Set(Self.fields(refused, "/new").keys) == names)
  }

  @Test func `a number is refused with its reason, as it was written`() async throws {
    let console = try await ConsoleFixture.open()
    var browser = try await console.browser("admin")
    let address = console.at("/maintenance/entry/\(try await console.shop.entry("admin").text)")
    try await browser.open(address + "/edit")
    let fine = try await browser.send("/edit", ["f.actual_cost": "1,234"])
    #expect(fine.plain.contains("\"1,234\" can be 1234 or 1.234; write one of these."))
    #expect(try await browser.send("/edit", ["f.actual_cost": "1,234.56"]).plain.contains("1234.56"))
    try await browser.open(console.at("/me"))
    try await browser.send("/me", ["language": "sv"])
    try await browser.open(address + "/edit")
    let both = try await browser.send("/edit", ["f.actual_cost": "12.345"])
    #expect(both.plain.contains("”12.345” kan vara 12345 eller 12,345; skriv ett av dem."))
    let many = try await browser.send("/edit", ["f.actual_cost": "12,3456"])
    #expect(many.plain.contains("”12,3456” har mer än 2 decimaler"), "\(many.plain.suffix(900))")
  }

  @Test func `a transition of a record that changed shows what changed, and keeps the comment`() async throws
  {
    let console = try await ConsoleFixture.open()
    let entry = try await console.shop.entry("admin")
    try await console.shop.take("start", entry, as: "admin")
    try await console.shop.take("complete", entry, as: "admin")
    let address = console.at("/maintenance/entry/\(entry.text)")
    var (eva, olle) = (try await console.browser("admin"), try await console.browser("owner"))
    try await eva.open(address + "/do/reopen")
    try await olle.open(address + "/edit")
    try await olle.send("/edit", ["f.actual_cost": "99"])
    let stale = try await eva.send("/do/reopen", ["comment": "It leaks again"])
    #expect(stale.status == 409)
    #expect(stale.plain.contains("Somebody changed this meanwhile."))
    #expect(stale.plain.contains("Olga Owner changed it") && stale.plain.contains("99"))
    #expect(try Self.fields(stale, "/do/reopen")["comment"] == "It leaks again")
    let long = try await eva.send("/do/reopen", ["comment": String(repeating: "x", count: 20_000)])
    #expect(long.status == 422)
    #expect(try Self.fields(long, "/do/reopen")["comment"]?.count == 20_000)
    #expect(try await eva.send("/do/reopen", ["comment": "It leaks again"]).plain.contains("In progress"))
  }

  @Test func `another comment from behind is kept, and sent with the next press`() async throws {
    let console = try await ConsoleFixture.open()
    let entry = try await console.shop.entry("admin")
    var browser = try await console.browser("admin")
    let page = try await browser.open(console.at("/maintenance/entry/\(entry.text)"))
    let form = try #require(page.form("/comments"))
    let fields = form.fields.filter { $0.name != "body" }
    try await browser.post(form.action, fields + [("body", "First")])
    let again = try await browser.post(form.action, fields + [("body", "Second")])
    #expect(again.status == 409 && again.plain.contains("This was saved already"))
    #expect(try Self.fields(again, "/comments")["body"] == "Second")
    let sent = try await browser.send("/comments")
    #expect(sent.status == 200 && sent.plain.contains("First") && sent.plain.contains("Second"))
  }

  @Test func `a filter that names nothing, no mark and a taken name keep the list and what was written`()
    async throws
  {
    let console = try await ConsoleFixture.open()
    _ = try await console.shop.entry("admin")
    var browser = try await console.browser("admin")
    let list = console.at("/maintenance/entry")
    let none = try await browser.open("\(list)?machine_id=MX-2&status=pending&sort=due_on")
    #expect(none.status == 422 && none.heading == "Work orders")
    #expect(none.plain.contains("There is no machine \"MX-2\""))
    #expect(none.text.contains("name=\"machine_id\" maxlength=\"200\" value=\"MX-2\""))
    #expect(none.links.contains("\(list)?status=pending&sort=due_on"), "the filter can be taken away")
    try await browser.open("\(list)?status=pending")
    let unmarked = try await browser.send("/bulk", ["transition": "start"])
    #expect(unmarked.status == 422 && unmarked.heading == "Work orders")
    #expect(unmarked.plain.contains("No record is marked; mark some, or choose all that match."))
    #expect(try Self.fields(unmarked, "/bulk")["q.status"] == "pending")
    try await browser.open("\(list)?status=pending")
    try await browser.send("/views", ["name": "Mine"])
    try await browser.open("\(list)?status=completed")
    let taken = try await browser.send("/views", ["name": "Mine"])
    #expect(taken.status == 409 && taken.heading == "Work orders", "\(taken.plain.prefix(400))")
    #expect(try Self.fields(taken, "/views")["name"] == "Mine")
    #expect(try await browser.send("/views", ["name": "Done"]).plain.contains("Done"))
  }

  @Test func `an invitation and a link that are refused keep their fields`() async throws {
    let console = try await ConsoleFixture.open()
    var browser = try await console.browser("owner")
    try await browser.open(console.at("/people"))
    let written = ["role": "viewer", "uses": "many", "days": "3", "email": "nils@example.com"]
    let refused = try await browser.send("/people/invite", written)
    #expect(refused.status == 422 && refused.plain.contains("\"many\" is not a whole number."))
    let fields = try Self.fields(refused, "/people/invite")
    for (name, value) in written { #expect(fields[name] == value, "\(name)") }
    let entry = try await console.shop.entry("admin")
    try await browser.open(console.at("/maintenance/entry/\(entry.text)/links"))
    let link = try await browser.send("/links", ["days": "400"])
    #expect(try Self.fields(link, "/links")["days"] == "400")
  }

  @Test func `an error leads back to the page of the form`() async throws {
    let console = try await ConsoleFixture.open()
    var browser = try await console.browser("viewer")
    let page = console.at("/maintenance/machine/\(console.shop.machine.text)?before=9")
    browser.headers.append(("referer", ConsoleFixture.origin + page))
    let refused = try await browser.post(console.at("/maintenance/machine/new"), [("f.code", "RM-9")])
    #expect(refused.status == 403)
    #expect(refused.links.contains(page) && refused.plain.contains("Back to the page"))
    browser.headers[browser.headers.count - 1].value = "https://evil.example\(page)"
    let foreign = try await browser.post(console.at("/maintenance/machine/new"), [("f.code", "RM-9")])
    #expect(!foreign.links.contains(page) && !foreign.text.contains("evil.example"))
  }

  @Test func `a form of somebody who was signed in before is not saved in another person's name unasked`()
    async throws
  {
    let console = try await ConsoleFixture.open()
    var browser = try await console.browser("admin")
    let form = try #require(try await browser.open(console.at("/maintenance/machine/new")).form("/new"))
    let fields = form.fields.filter { !$0.name.hasPrefix("f.") } + [("f.code", "RM-8"), ("f.name", "Paver")]
    // In a second tab of the same browser, the owner has signed in.
    browser.cookies = try await console.browser("owner").cookies
    let asked = try await browser.post(form.action, fields)
    #expect(asked.status == 409 && asked.heading == "Somebody else's page")
    #expect(asked.plain.contains("You are Olga Owner."))
    #expect(!(try await browser.open(console.at("/maintenance/machine")).plain.contains("RM-8")))
    try await browser.post(form.action, fields)
    let saved = try await browser.send("/new")
    #expect(saved.heading.contains("RM-8") && saved.plain.contains("Olga Owner created it"))
  }

  @Test func `a file that was sent without a session is asked for again, on the page of its record`()
    async throws
  {
    let console = try await ConsoleFixture.open()
    let path = console.at("/maintenance/machine/\(console.shop.machine.text)")
    var browser = console.browser
    let page = try await browser.show(
      .post,
      path + "/files",
      .multipart([("kind", nil, Array("photo".utf8)), ("file", "pump.jpg", PhotoSample.located)], part: 777),
      type: "multipart/form-data; boundary=----Border7MA4"
    )
    #expect(page.status == 401 && page.plain.contains("choose the file again"))
    let fields = try Self.fields(page, "/sign-in")
    #expect(fields["next"] == path && !fields.keys.contains { $0.hasPrefix("kept") })
  }

  @Test func `a file that is refused leaves the person on the record, with the reason`() async throws {
    try await FileShop.open { files in
      let console = try await ConsoleFixture.open(files.shop, services: files.services)
      var browser = try await console.browser("admin")
      let path = console.at("/maintenance/machine/\(files.shop.machine.text)")
      func send(_ bytes: [UInt8], by person: String) async throws -> TestPage {
        let fields: [(name: String, file: String?, bytes: [UInt8])] = [
          ("person", nil, Array(person.utf8)), ("kind", nil, Array("photo".utf8)), ("file", "a.jpg", bytes),
        ]
        let type = "multipart/form-data; boundary=----Border7MA4"
        return try await browser.show(.post, path + "/files", .multipart(fields, part: 777), type: type)
      }
      let person = try #require(files.shop.members["admin"]).userID.text
      let empty = try await send([], by: person)
      #expect(empty.status == 422 && empty.heading.contains("RM-001"))
      #expect(empty.plain.contains("The file is empty."))
      let other = try await send(PhotoSample.located, by: UUID().text)
      #expect(other.status == 422 && other.plain.contains("choose the file again"))
      #expect(try await send(PhotoSample.located, by: person).plain.contains("a.jpg"))
    }
  }
}
