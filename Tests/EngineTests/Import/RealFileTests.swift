import Domain
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

@testable import Engine

/// Files of other systems and spreadsheets, imported as they are.
@Suite(.timeLimit(.minutes(60))) struct RealFileTests {
  /// Work orders of another system: dates with times, words for states and priorities, people by name.
  private static let orders = """
    wo,asset,kind,title,opened,state,urgency,who
    A-1,RM-001,PREVENTIVE,Monthly check,2025-01-10T23:30:00+01:00,COMPLETED,High,Member user
    A-2,RM-001,CORRECTIVE,Shakes after start,2025-01-11 06:15:00,In Progress,LOW,"Owner, Olga"
    A-3,RM-001,CORRECTIVE,Same as A-2,2025-01-11T06:20:00,Open,,

    """
  private static let map = [
    ("external_ref", "wo"), ("machine", "asset"), ("category", "kind"), ("description", "title"),
    ("reported_on", "opened"), ("status", "state"), ("priority", "urgency"), ("assigned_to", "who"),
  ]
  private static let words = ["priority:High=1,Low=3", "status:Open=pending", "category:Preventive=Engine"]

  private func importing(
    _ text: String,
    _ shop: Workshop,
    type: String = "maintenance.entry",
    map: [(String, String)] = [],
    set: [(String, String)] = [],
    values: [String] = [],
    layout: FileLayout = FileLayout(),
    createsMissing: Bool = false,
    skipsBad: Bool = false,
    acting: ActingContext? = nil
  ) async throws -> ImportOutcome {
    try await TemporaryFile.with(text) { path in
      try await RecordImporter(
        shop.engine.operators,
        Records(shop.engine.operators, catalogue: shop.engine.catalogue)
      ).run(
        acting ?? shop.operatorContext,
        path: path,
        plan: ImportPlan(
          type: type,
          mapping: map.map { (column: $0.0, heading: $0.1) },
          fixed: set.map { (column: $0.0, value: $0.1) },
          createsMissing: createsMissing,
          layout: layout,
          values: try StatedValues(parsing: values),
          skipsBad: skipsBad
        )
      )
    }
  }

  private func entries(_ shop: Workshop, type: String = "maintenance.entry") async throws -> [JSONObject] {
    var query = RecordQuery()
    query.sort = type == "maintenance.entry" ? "external_ref" : "created_at"
    query.limit = 100
    return try await shop.records.list(shop.operatorContext, type: type, query)
  }

  @Test func `work orders with times, words and people are imported without editing the file`() async throws {
    let shop = try await Workshop.open(timeZone: "Europe/Stockholm")
    let outcome = try await importing(
      Self.orders,
      shop,
      map: Self.map,
      values: Self.words,
      createsMissing: true
    )
    #expect(outcome.imported == 3 && outcome.created == ["maintenance.category": 1])
    let found = try await entries(shop)
    #expect(found.map { $0["reported_on"]?.string } == ["2025-01-10", "2025-01-11", "2025-01-11"])
    #expect(found.map { $0["status"]?.string } == ["completed", "in_progress", "pending"])
    // An empty cell has the column's default.
    #expect(found.map { $0["priority"]?.displayText } == ["1", "3", "2"])
    let people = ["user", "owner"].map { shop.members[$0]?.userID.text }
    #expect(found.map { $0["assigned_to"]?.string } == people + [nil])
    let again = try await importing(Self.orders, shop, map: Self.map, values: Self.words)
    #expect(again.alreadyThere == 3 && again.imported == 0 && again.differing.isEmpty)
  }

  @Test func `a line is the same line when its words get other meanings`() async throws {
    let shop = try await Workshop.open()
    let text = "title,asset,kind,urgency\nLeak,RM-001,Engine,High\n"
    let map = [("description", "title"), ("machine", "asset"), ("category", "kind"), ("priority", "urgency")]
    #expect(try await importing(text, shop, map: map, values: ["priority:High=1"]).imported == 1)
    let again = try await importing(text, shop, map: map, values: ["priority:high=2"])
    #expect(again.imported == 0 && again.differing == [2])
  }

  @Test func `a word without a meaning is refused with its line and the option that gives it one`()
    async throws
  {
    let shop = try await Workshop.open()
    let refusal = try await refused {
      _ = try await importing(
        Self.orders,
        shop,
        map: Self.map,
        values: ["status:Open=pending"],
        createsMissing: true
      )
    }
    #expect(
      refusal.message.contains("line 2: priority") && refusal.hint.contains("--values \"priority:High=…\"")
    )
    let state = try await refused {
      _ = try await importing(
        Self.orders,
        shop,
        map: Self.map,
        values: ["priority:High=1,Low=3"],
        createsMissing: true
      )
    }
    #expect(state.message.contains("line 4") && state.message.contains("pending, in_progress, completed"))
    #expect(state.hint.contains("--values \"status:Open=…\""))
    for (text, part) in [
      ("priority", "is not field:word=value"), ("priority:High", "is not field:word=value"),
      ("priority:a=1,A=2", "two meanings"), ("colour:Red=1", "the file fills no field"),
    ] {
      let error = try await refused {
        _ = try await importing(Self.orders, shop, map: Self.map, values: [text])
      }
      #expect(error.message.contains(part))
    }
  }

  @Test func `a name that two members have is refused with their addresses`() async throws {
    let shop = try await Workshop.open()
    _ = try await Members(shop.engine.operators).add(
      shop.operatorContext,
      email: "other@\(shop.company.slug).example",
      name: "member  USER",
      role: "user"
    )
    let file = "title,asset,kind,who\nLeak,RM-001,Engine,Member user\n"
    let map = [("description", "title"), ("machine", "asset"), ("category", "kind"), ("assigned_to", "who")]
    let refusal = try await refused { _ = try await importing(file, shop, map: map) }
    #expect(refusal.message.contains("2 members are called") && refusal.message.contains("other@"))
    let unknown = try await refused {
      _ = try await importing(file.replacingOccurrences("Member user", "Nobody"), shop, map: map)
    }
    #expect(unknown.message.contains("there is no membership"))
  }

  @Test func `a list is written with commas, a choice in any case, a plan has its first due date`()
    async throws
  {
    let shop = try await Workshop.open()
    let items = "name,tags\nDrill,\"a, b\"\nSaw,\nLamp,\"[\"\"c\"\"]\"\nBit,x;y\n"
    let given = [("category", "Tools"), ("purchase_date", "2026-01-02")]
    let taken = try await importing(
      items,
      shop,
      type: "inventory.item",
      map: [("name", "name"), ("tags", "tags")],
      set: given,
      acting: shop.acting("owner")
    )
    #expect(taken.imported == 4)
    let tags = try await shop.records.list(shop.acting("owner"), type: "inventory.item", RecordQuery())
    let byName = Dictionary(tags.map { ($0["name"]?.string ?? "", $0["tags"] ?? .null) }) { first, _ in first
    }
    #expect(byName["Drill"] == ["a", "b"] && byName["Saw"] == [] && byName["Lamp"] == ["c"])
    #expect(byName["Bit"] == ["x", "y"])
    let plans = """
      title,machine,category,anchor,starts
      Pump seals,RM-001,Engine,Fixed,2026-12-15
      Pressure test,RM-001,Engine,,2026-12-05

      """
    let map = ["title", "machine", "category", "anchor"].map { ($0, $0) } + [("starts_on", "starts")]
    let set = [("every_days", "90")]
    let outcome = try await importing(plans, shop, type: "maintenance.pm_plan", map: map, set: set)
    #expect(outcome.imported == 2)
    let found = try await entries(shop, type: "maintenance.pm_plan")
    #expect(Set(found.map { $0["next_due_on"]?.string }) == ["2026-12-15", "2026-12-05"])
    #expect(Set(found.map { $0["anchor"]?.string }) == ["fixed", "completion"])
    let refusal = try await refused {
      let text = plans.replacingOccurrences("Fixed", "fest")
      _ = try await importing(text, shop, type: "maintenance.pm_plan", map: map, set: set)
    }
    #expect(refusal.message.contains("anchor: \"fest\" is not one of: completion, fixed"))
    #expect(refusal.hint.contains("--values \"anchor:fest=…\""))
  }

  /// Sheets with more than a table: titles, merged headings, `sep=;`, cleared rows.
  @Test(arguments: [
    "sep=;\nAsset;Text;Type\nRM-001;Leak;Engine\nRM-001;Pump, old;Engine\n",
    "Work orders 2025;;\n;;\nAsset;Text;Type\nRM-001;Leak;Engine\nRM-001;Pump, old;Engine\n;;\n;;\n",
    "Work orders 2025\n\nprinted on 2026-01-01\nAsset;Text;Type\nRM-001;Leak;Engine\nRM-001;Pump, old;Engine\n \n",
    "Machine;Work;\nAsset;Text;Type\nRM-001;Leak;Engine\n;;\nRM-001;Pump, old;Engine\n\n\n",
    "SEP=;\r\n\"Asset\";\"Text\";\"Type\";\"Note\";\"Note\"\r\nRM-001;Leak;Engine;;\r\nRM-001;Pump, old;Engine;1;2\r\n",
  ])
  func `a sheet with titles, cleared rows and unused doubled headings is imported`(text: String) async throws
  {
    let shop = try await Workshop.open()
    let map = [("machine", "Asset"), ("description", "Text"), ("category", "Type")]
    #expect(try await importing(text, shop, map: map).imported == 2)
    #expect(Set(try await entries(shop).map { $0["description"]?.string }) == ["Leak", "Pump, old"])
  }

  @Test func `a doubled heading that is used names its columns, and is named with its number`() async throws {
    let shop = try await Workshop.open()
    let text = "Asset,Text,Type,Text\nRM-001,Leak,Engine,Hose\n"
    func map(_ heading: String) -> [(String, String)] {
      [("machine", "Asset"), ("description", heading), ("category", "Type")]
    }
    let refusal = try await refused { _ = try await importing(text, shop, map: map("Text")) }
    #expect(refusal.message == "line 1: the heading \"Text\" occurs twice (columns 2, 4)")
    #expect(refusal.hint.contains("Text#1"))
    #expect(try await importing(text, shop, map: map("Text#2")).imported == 1)
    #expect(try await entries(shop).map { $0["description"]?.string } == ["Hose"])
    let fields = try await refused {
      _ = try await importing("code,name,name\nA,B,C\n", shop, type: "maintenance.machine")
    }
    #expect(fields.message.contains("line 1: the heading \"name\" occurs twice"))
  }

  @Test(arguments: [
    "Asset,Text,Type,Cost\nRM-001,Leak,Engine,5\nTotal,,,5\n",
    "Asset,Text,Type,Cost\nRM-001,Leak,Engine,5\nSumme:,,,5\n,,,\n",
    "Asset,Text,Type,Cost\nRM-001,Leak,Engine,5\n,,Total,5\n",
    "Asset,Text,Type,Cost\nRM-001,Leak,Engine,5\n\n1 row exported\n",
  ])
  func `totals and remarks at the end are refused with the option that leaves them out`(text: String)
    async throws
  {
    let shop = try await Workshop.open()
    let map = [("machine", "Asset"), ("description", "Text"), ("category", "Type"), ("actual_cost", "Cost")]
    let refusal = try await refused { _ = try await importing(text, shop, map: map, createsMissing: true) }
    #expect(refusal.code == .invalidImport && refusal.hint.contains("--last-line 2"))
    let outcome = try await importing(text, shop, map: map, layout: FileLayout(lastLine: 2))
    #expect(outcome.imported == 1 && outcome.refused.isEmpty)
  }

  @Test func `a title above headings that do not fit is refused with the option that skips it`() async throws
  {
    let shop = try await Workshop.open()
    let text = "Orders of 2025\nMaschine;Arbeit;Art\nRM-001;Leak;Engine\n"
    let refusal = try await refused { _ = try await importing(text, shop, map: [("machine", "Asset")]) }
    #expect(refusal.message == "line 1: \"Orders of 2025\" is a title, not a line of headings")
    #expect(refusal.hint.contains("--heading-line 2"))
    let map = [("machine", "Maschine"), ("description", "Arbeit"), ("category", "Art")]
    let layout = FileLayout(headingLine: 2)
    #expect(try await importing(text, shop, map: map, layout: layout).imported == 1)
    // The file of refused lines keeps the headings in their line.
    let bad = try await importing(
      text + "RM-009;Leak;Engine\n",
      shop,
      map: map,
      layout: layout,
      skipsBad: true
    )
    var written: [UInt8] = []
    try RefusedFile(bad.form, bad.refused).write { written += $0 }
    #expect(
      String(decoding: written, as: UTF8.self).hasPrefix("\r\nMaschine;Arbeit;Art;line;reason\r\nRM-009;")
    )
  }

  @Test func `imported history has its times, and reports count it`() async throws {
    let shop = try await Workshop.open(timeZone: "Europe/Stockholm")
    let text = """
      machine,category,description,reported_on,status,created_at,completed_at
      RM-001,Engine,Leak,2025-01-10,completed,2025-01-10 07:00,2025-01-10T09:30:00+01:00
      RM-001,Engine,Shakes,2025-07-11,completed,2025-07-11 06:00,2025-07-11 08:00:00
      RM-001,Engine,Open,2025-01-12,pending,2025-01-12,

      """
    #expect(try await importing(text, shop).imported == 3)
    let found = try await entries(shop).sorted {
      ($0["reported_on"]?.string ?? "") < ($1["reported_on"]?.string ?? "")
    }
    let created = found.compactMap { $0["created_at"]?.string }.compactMap { try? Instant(parsing: $0) }
    #expect(
      created.map(\.description) == ["2025-01-10T06:00:00Z", "2025-01-11T23:00:00Z", "2025-07-11T04:00:00Z"]
    )
    let completed = found.compactMap { $0["completed_at"]?.string }.compactMap { try? Instant(parsing: $0) }
    #expect(completed.map(\.description) == ["2025-01-10T08:30:00Z", "2025-07-11T06:00:00Z"])
    let months = try await shop.engine.operators.database.transaction(.inside(shop.company.id)) { tx in
      try tx.rows(
        """
        select l.month::text, l.entries, l.median_hours_to_complete::text from report.v1_lead_times l
        where l.company_id = \(shop.company.id) order by l.month
        """,
        String.self,
        Int64.self,
        String.self
      )
    }
    #expect(months.map(\.0) == ["2025-01-01", "2025-07-01"])
    #expect(months.map(\.2) == ["2.50", "2.00"])
    for (line, part) in [
      (
        "RM-001,Engine,A,2025-01-10,pending,,2025-01-10",
        "completed_at is given, but a record that is pending has none"
      ),
      ("RM-001,Engine,B,2025-01-10,completed,,2200-01-10", "in the future"),
      ("RM-001,Engine,C,2025-01-10,completed,2199-01-01,", "in the future"),
      ("RM-001,Engine,D,2025-01-10,completed,n/a,", "created_at"),
    ] {
      let file = (text.split(separator: "\n").first.map(String.init) ?? "") + "\n\(line)\n"
      let refusal = try await refused { _ = try await importing(file, shop) }
      #expect(refusal.message.contains(part), "\(refusal.message)")
    }
  }

  @Test func `who completed an imported record is stated by an operator only`() async throws {
    let shop = try await Workshop.open()
    let text = "machine,category,description,status,by\nRM-001,Engine,Leak,completed,Member user\n"
    let map = ["machine", "category", "description", "status"].map { ($0, $0) } + [("completed_by", "by")]
    let refusal = try await refused {
      _ = try await importing(text, shop, map: map, acting: shop.acting("admin"))
    }
    #expect(refusal.code == .forbidden && refusal.message.contains("completed_by"))
    #expect(try await importing(text, shop, map: map).imported == 1)
    #expect(try await entries(shop).first?["completed_by"]?.string == shop.members["user"]?.userID.text)
  }
}

extension String {
  fileprivate func replacingOccurrences(_ text: String, _ other: String) -> String {
    split(separator: text, omittingEmptySubsequences: false).joined(separator: other)
  }
}
