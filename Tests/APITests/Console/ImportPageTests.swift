import API
import Console
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Store
import Testing

/// Imports in the browser: the files that people have, the trial, the import, and taking it back.
@Suite(.timeLimit(.minutes(60))) struct ImportPageTests {
  private static func send(
    _ text: String,
    as name: String,
    type: String = "maintenance.entry",
    by browser: inout TestBrowser,
    _ console: ConsoleFixture
  ) async throws -> TestPage {
    let mark = "----mark"
    let body = """
      --\(mark)\r\nContent-Disposition: form-data; name="type"\r\n\r\n\(type)\r\n--\(mark)\r\n\
      Content-Disposition: form-data; name="file"; filename="\(name)"\r\nContent-Type: text/csv\r\n\r\n\
      \(text)\r\n--\(mark)--\r\n
      """
    let bytes = Array(body.utf8)
    return try await browser.show(
      .post,
      console.at("/imports/new"),
      .stream(
        APIByteStream { stream in
          stream.yield(bytes)
          stream.finish()
        },
        length: bytes.count
      ),
      type: "multipart/form-data; boundary=\(mark)"
    )
  }

  private static func count(_ console: ConsoleFixture) async throws -> Int {
    let rows = try await console.shop.records.list(
      console.shop.acting("owner"),
      type: "maintenance.entry",
      RecordQuery()
    )
    return rows.count
  }

  private static let orders = """
    BscStartDate,Asset,OriginalShorttext,PMType,Cost
    2004-07-01,A,BUCKET WON'T OPEN,PM01,183.05
    2005-03-20,A,L/H BUCKET CYL LEAKING.,PM01,407.4
    2006-05-05,B,SWAP BUCKET,PM02,0
    2006-07-11,B,FIT BUCKET TOOTH,PM02,PM01
    """

  @Test func `a real file is sent, its columns are found, it is tried, imported and taken back`() async throws
  {
    let console = try await ConsoleFixture.open()
    var browser = try await console.browser("owner")
    try await browser.open(console.at("/imports/new?type=maintenance.entry"))
    let first = try await Self.send(Self.orders, as: "orders.csv", by: &browser, console)
    #expect(first.heading.hasSuffix("orders.csv"))
    // Machine, date, text, category and cost were found by their headings.
    let fields = try #require(first.form(first.path)).fields
    #expect(fields.first { $0.name == "c.Asset" }?.value == "machine_id")
    #expect(fields.first { $0.name == "c.BscStartDate" }?.value == "reported_on")
    #expect(fields.first { $0.name == "c.Cost" }?.value == "actual_cost")
    #expect(first.plain.contains("4 lines refused"))
    #expect(first.plain.contains("there is no machine \"A\""))
    let second = try await browser.send(first.path, ["create_missing": "on", "go": "check"])
    #expect(second.plain.contains("3 new records"))
    #expect(second.plain.contains("Actual cost: \"PM01\" is not a number"))
    #expect(second.plain.contains("1 Jul 2004"))
    // In the order of the file.
    #expect(second.plain.contains("Line Reported Machine Description Category Actual cost"))
    #expect(second.plain.contains("Import 3 records, leave out refused lines: 1"))
    let before = try await Self.count(console)
    let refused = try await browser.open("\(first.path)/refused")
    #expect(refused.text.contains("FIT BUCKET TOOTH"))
    try await browser.open(first.path)
    let done = try await browser.send(first.path, ["create_missing": "on", "go": "rest"])
    #expect(done.plain.contains("Imported"), "\(done.plain.suffix(600))")
    #expect(done.plain.contains("3 new records"))
    #expect(try await Self.count(console) == before + 3)
    let list = try await browser.open(console.at("/imports"))
    #expect(list.plain.contains("orders.csv"))
    let undo = try #require(list.links.first { $0.hasSuffix("/undo") })
    let question = try await browser.open(undo)
    #expect(question.plain.contains("Work orders: 3"))
    #expect(try await browser.send("/undo").plain.contains("undone"))
    #expect(try await Self.count(console) == before)
  }

  @Test func `a history is imported as completed work, and its refused lines can be had afterwards`()
    async throws
  {
    let console = try await ConsoleFixture.open()
    var browser = try await console.browser("owner")
    let first = try await Self.send(Self.orders, as: "history.csv", by: &browser, console)
    // A file that waits is found again.
    let waiting = try await browser.open(console.at("/imports"))
    #expect(waiting.links.contains(first.path))
    #expect(waiting.plain.contains("Not imported yet"))
    let fields = ["create_missing": "on", "set.status": "completed", "go": "rest"]
    try await browser.open(first.path)
    let done = try await browser.send(first.path, fields)
    #expect(done.plain.contains("3 new records"), "\(done.plain.suffix(600))")
    #expect(try await browser.open("\(first.path)/refused").text.contains("FIT BUCKET TOOTH"))
    var query = RecordQuery()
    query.conditions = [RecordCondition("status", .equal, "completed")]
    let completed = try await console.shop.records.list(
      console.shop.acting("owner"),
      type: "maintenance.entry",
      query
    )
    #expect(completed.count == 3)
    #expect(!(try await browser.open(console.at("/imports")).plain.contains("Not imported yet")))
  }

  @Test func `decimal commas are found, and words of a file get a meaning in that file`()
    async throws
  {
    let console = try await ConsoleFixture.open()
    var browser = try await console.browser("owner")
    let file = """
      Machine;Description;Category;Priority;Actual cost
      RM-001;Hose leaks;Hydraulics;High;151,97
      RM-001;Lamp broken;Hydraulics;Low;1.355,90
      """
    let first = try await Self.send(file, as: "costs.csv", by: &browser, console)
    #expect(first.plain.contains("Found: decimal comma"), "\(first.plain.suffix(900))")
    #expect(first.plain.contains("Priority: “ High ”"))
    let fields = [
      "word.priority:High": "1", "word.priority:Low": "3", "create_missing": "on", "go": "import",
    ]
    let done = try await browser.send(first.path, fields)
    #expect(done.plain.contains("2 new records"), "\(done.plain.suffix(900))")
    // The next file of this kind may mean something else by its words.
    let next = try await Self.send(
      file.replacing("Hose leaks", with: "Belt worn"),
      as: "next.csv",
      by: &browser,
      console
    )
    #expect(next.plain.contains("Priority: “ High ”"), "\(next.plain.suffix(900))")
    let meant = try await browser.send(
      next.path,
      ["word.priority:High": "1", "word.priority:Low": "3", "go": "check"]
    )
    #expect(meant.plain.contains("1 new record"), "\(meant.plain.suffix(900))")
    #expect(meant.plain.contains("1 line that is there already"))
  }

  @Test func `a word with a comma or an equals sign gets a meaning too`() async throws {
    let console = try await ConsoleFixture.open()
    var browser = try await console.browser("owner")
    let file = "Machine;Description;Category;Priority\nRM-001;Leak;Engine;Hög, akut\nRM-001;Worn;Engine;A=B\n"
    let first = try await Self.send(file, as: "words.csv", by: &browser, console)
    #expect(first.plain.contains("Priority: “ Hög, akut ”"), "\(first.plain.suffix(900))")
    let fields = ["word.priority:Hög, akut": "1", "word.priority:A=B": "3"]
    let checked = try await browser.send(first.path, fields.merging(["go": "check"]) { $1 })
    #expect(checked.plain.contains("2 new records"), "\(checked.plain.suffix(900))")
    // The page gives back what was chosen.
    let done = try await browser.send(first.path, ["go": "import"])
    #expect(done.plain.contains("2 new records"), "\(done.plain.suffix(900))")
    var query = RecordQuery()
    query.conditions = [RecordCondition("priority", .equal, "1")]
    let urgent = try await console.shop.records.list(
      console.shop.acting("owner"),
      type: "maintenance.entry",
      query
    )
    #expect(urgent.map { $0["description"]?.string } == ["Leak"])
  }

  @Test func `lines that are left out are told, and the next file is read to its end`() async throws {
    let console = try await ConsoleFixture.open()
    var browser = try await console.browser("owner")
    let file = "Machine,Description,Category\nRM-001,Leak,Engine\nRM-001,Worn,Engine\nTotal,,\n"
    let first = try await Self.send(file, as: "first.csv", by: &browser, console)
    let wrong = try await browser.send(first.path, ["last_line": "line 3", "go": "check"])
    #expect(wrong.plain.contains("\"line 3\" is not the number of a line"), "\(wrong.plain.suffix(900))")
    #expect(wrong.plain.contains("Look at: Last line to read.") && !wrong.plain.contains("Import 2 records"))
    let fields = ["last_line": "3", "set.status": "completed"]
    let checked = try await browser.send(first.path, fields.merging(["go": "check"]) { $1 })
    #expect(checked.plain.contains("1 line above the headings or below the last line is left out."))
    let done = try await browser.send(first.path, fields.merging(["go": "import"]) { $1 })
    #expect(done.plain.contains("2 new records"), "\(done.plain.suffix(900))")

    let longer = "Machine,Description,Category\nRM-001,A,Engine\nRM-001,B,Engine\nRM-001,C,Engine\n"
    let next = try await Self.send(longer, as: "next.csv", by: &browser, console)
    #expect(next.plain.contains("3 new records"), "\(next.plain.suffix(900))")
    let given = try #require(next.form(next.path)).fields
    #expect(given.allSatisfy { !["last_line", "set.status"].contains($0.name) || $0.value.isEmpty })
  }

  @Test func `lines whose records have other values are told, before and after an import`() async throws {
    let console = try await ConsoleFixture.open()
    var browser = try await console.browser("owner")
    let file = "Machine,Description,Category\nRM-001,Hose leaks,Engine\n"
    let first = try await Self.send(file, as: "first.csv", by: &browser, console)
    try await browser.send(first.path, ["go": "import"])
    var query = RecordQuery()
    query.search = "Hose leaks"
    let owner = console.shop.acting("owner")
    let found = try await console.shop.records.list(owner, type: "maintenance.entry", query)
    let id = try #require(found.first?["id"]?.string.flatMap(UUID.init(text:)))
    _ = try await console.shop.records.update(
      owner,
      type: "maintenance.entry",
      id: id,
      fields: ["description": "Hose leaks oil"]
    )
    let again = try await Self.send(file + "RM-001,Worn,Engine\n", as: "again.csv", by: &browser, console)
    let told = "1 line has other values than its record, which keeps its own: line 2"
    #expect(again.plain.contains(told), "\(again.plain.suffix(900))")
    let done = try await browser.send(again.path, ["go": "import"])
    #expect(done.plain.contains("1 new record") && done.plain.contains(told), "\(done.plain.suffix(900))")
  }

  @Test func `a file about one machine is imported with the machine given for all lines`() async throws {
    let console = try await ConsoleFixture.open()
    var browser = try await console.browser("owner")
    let file =
      "Description;Category;Actual cost\nHose leaks;Hydraulics;151,97\nLamp broken;Hydraulics;48,00\n"
    let first = try await Self.send(file, as: "one.csv", by: &browser, console)
    let fields = try #require(first.form(first.path)).fields
    #expect(fields.contains { $0.name == "set.machine_id" })
    let wrong = try await browser.send(first.path, ["set.machine_id": "RM-0001", "go": "check"])
    #expect(wrong.plain.contains("There is no machine \"RM-0001\""), "\(wrong.plain.suffix(900))")
    let checked = try await browser.send(
      first.path,
      ["set.machine_id": "RM-001", "create_missing": "on", "go": "check"]
    )
    #expect(checked.plain.contains("2 new records"), "\(checked.plain.suffix(900))")
    let done = try await browser.send(
      first.path,
      ["set.machine_id": "RM-001", "create_missing": "on", "go": "import"]
    )
    #expect(done.plain.contains("2 new records"), "\(done.plain.suffix(900))")
    var query = RecordQuery()
    query.conditions = [RecordCondition("actual_cost", .equal, "151.97")]
    let found = try await console.shop.records.list(
      console.shop.acting("owner"),
      type: "maintenance.entry",
      query
    )
    #expect(found.map { $0["machine_code"]?.string } == ["RM-001"])
  }

  @Test func `what a file leaves open is asked for by the fields of the page, not by options`() async throws {
    let console = try await ConsoleFixture.open()
    var browser = try await console.browser("owner")
    let heading = "Machine,Description,Category,Reported,Actual cost\n"
    let dates = heading + "RM-001,Hose leaks,Hydraulics,03/04/2024,5\nRM-001,Worn,Hydraulics,05/06/2024,7\n"
    let asked = try await Self.send(dates, as: "dates.csv", by: &browser, console)
    #expect(asked.plain.contains("Look at: Dates."), "\(asked.plain.suffix(900))")
    let sums = heading + "RM-001,Hose leaks,Hydraulics,2024-04-13,1.355\n"
    let unclear = try await Self.send(sums, as: "sums.csv", by: &browser, console)
    #expect(unclear.plain.contains("Look at: Decimal sign"), "\(unclear.plain.suffix(900))")
    let wide = "M\u{0}a\u{0}c\u{0}h\u{0}i\u{0}n\u{0}e\u{0}\n\u{0}"
    let encoded = try await Self.send(wide, as: "wide.csv", by: &browser, console)
    #expect(encoded.plain.contains("Look at: Encoding."), "\(encoded.plain.suffix(900))")
    for page in [asked, unclear, encoded] { #expect(!page.plain.contains("--")) }
    try await browser.open(console.at("/me"))
    try await browser.send("/me", ["language": "sv"])
    let swedish = try await Self.send(dates, as: "datum.csv", by: &browser, console)
    #expect(swedish.plain.contains("Se: Datum."), "\(swedish.plain.suffix(900))")
    #expect(!swedish.plain.contains("--"))
  }

  @Test func `a person who reads Swedish sees in Swedish why lines are refused`() async throws {
    let console = try await ConsoleFixture.open()
    var browser = try await console.browser("owner")
    try await browser.open(console.at("/me"))
    try await browser.send("/me", ["language": "sv"])
    let file = """
      Machine,Description,Category,Reported,Estimated hours,Actual cost
      RM-001,Hose leaks,Engine,2024-05-17,5.5,183.05
      XX-9,Hose leaks,Engine,2024-05-17,5.5,183.05
      RM-001,Hose leaks,Engine,2024-02-31,5.5,183.05
      RM-001,Hose leaks,Engine,2024-05-17,12345.25,183.05
      RM-001,Hose leaks,Engine,2024-05-17,5.5,PM01
      RM-001,Hose leaks,Engine,2024-05-17,5.5,1.8e3
      RM-001,Hose leaks,Engine,2024-05-17,5.5,183.055
      RM-001,,Engine,2024-05-17,5.5,183.05
      """
    let page = try await Self.send(file, as: "fel.csv", by: &browser, console)
    for reason in [
      "maskin ”XX-9” finns inte", "Anmäld: ”2024-02-31” är inget datum som",
      "Kostnad: ”PM01” är inget tal", "Beräknade timmar: ”12345.25” är för stort",
      "Kostnad: ”1.8e3” är i potensform och kan ha förlorat siffror",
      "Kostnad: ”183.055” har mer än 2 decimaler och avrundas inte", "Beskrivning saknas",
    ] { #expect(page.plain.contains(reason), "\(reason): \(page.plain.suffix(2_500))") }
    let unclear = try await Self.send(
      "Machine,Description,Category,Actual cost\nRM-001,Hose leaks,Engine,1.355\n",
      as: "oklart.csv",
      by: &browser,
      console
    )
    #expect(
      unclear.plain.contains("Kostnad: ”1.355” på rad 2 kan vara"),
      "\(unclear.plain.suffix(900))"
    )
    let book = try await Self.send(
      "PK\u{03}\u{04}00000000000000000000000000[Content_Types].xml",
      as: "bok.xlsx",
      by: &browser,
      console
    )
    #expect(book.plain.contains("Filen är en arbetsbok från Excel (.xlsx)"), "\(book.plain.suffix(600))")
  }

  @Test func `a workbook, an empty file and a file of somebody else are refused with what to do`()
    async throws
  {
    let console = try await ConsoleFixture.open()
    var browser = try await console.browser("owner")
    let empty = try await Self.send("", as: "empty.csv", by: &browser, console)
    #expect(empty.status == 422)
    let book = try await Self.send(
      "PK\u{03}\u{04}00000000000000000000000000[Content_Types].xml",
      as: "book.xlsx",
      by: &browser,
      console
    )
    #expect(book.plain.contains("workbook of Excel"), "\(book.plain.suffix(600))")
    let file = try await Self.send(Self.orders, as: "orders.csv", by: &browser, console)
    var other = try await console.browser("admin")
    #expect(try await other.open(file.path).status == 404)
    #expect(try await other.open("\(file.path)/refused").status == 404)
    var viewer = try await console.browser("viewer")
    #expect(try await viewer.open(console.at("/imports/new")).status == 403)
    let sent = try await Self.send(Self.orders, as: "orders.csv", by: &viewer, console)
    #expect([403, 422].contains(sent.status))
  }
}
