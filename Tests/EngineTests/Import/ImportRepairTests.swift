import Domain
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

@testable import Engine

/// A file that is imported again after its notation or its values were corrected.
@Suite(.timeLimit(.minutes(60))) struct ImportRepairTests {
  private static let costs = """
    Asset;Text;Type;Date;Cost;Ref
    RM-001;Hose replaced;Engine;2026-03-01;151,97;c-1
    RM-001;Pump overhaul;Engine;2026-03-02;1.355,90 €;c-2
    RM-001;Filter;Engine;2026-03-03;48,00;c-3

    """
  private static let plain = [
    (column: "machine", heading: "Asset"), (column: "description", heading: "Text"),
    (column: "category", heading: "Type"), (column: "reported_on", heading: "Date"),
    (column: "actual_cost", heading: "Cost"),
  ]
  private static let withReference = plain + [(column: "external_ref", heading: "Ref")]

  private func importing(
    _ text: String,
    _ shop: Workshop,
    mapping: [(column: String, heading: String)] = plain,
    notation: StatedNotation = .none,
    empty: [String] = []
  ) async throws -> ImportOutcome {
    try await shop.importing(
      text,
      ImportPlan(type: "maintenance.entry", mapping: mapping, notation: notation, emptyIfUnreadable: empty)
    )
  }

  private func entries(_ shop: Workshop) async throws -> [JSONObject] {
    var query = RecordQuery()
    query.sort = "reported_on"
    query.limit = 100
    return try await shop.records.list(shop.operatorContext, type: "maintenance.entry", query)
  }

  private func costs(_ shop: Workshop) async throws -> [String] {
    try await entries(shop).map { $0["actual_cost"]?.displayText ?? "" }
  }

  /// Imports the file like an import that reads decimal points only, which leaves the costs empty.
  private func importingEmpty(
    _ shop: Workshop,
    mapping: [(column: String, heading: String)] = plain
  ) async throws {
    let outcome = try await importing(
      Self.costs,
      shop,
      mapping: mapping,
      notation: StatedNotation(decimal: .point),
      empty: ["actual_cost"]
    )
    #expect(outcome.imported == 3 && outcome.unread.count == 3)
    #expect(try await costs(shop) == ["", "", ""])
  }

  @Test func `costs with a decimal comma and a delimiter that nobody named are read`() async throws {
    let shop = try await Workshop.open()
    #expect(try await importing(Self.costs, shop).imported == 3)
    #expect(try await costs(shop) == ["151.97", "1355.90", "48.00"])
    let again = try await importing(Self.costs, shop)
    #expect(again.imported == 0 && again.alreadyThere == 3 && again.completed == 0 && again.differing.isEmpty)
  }

  @Test func `an unreadable value refuses its line by default, and nothing is imported`() async throws {
    let shop = try await Workshop.open()
    let text = Self.costs.replacingOccurrences(of: "48,00", with: "n/a")
    let refusal = try await refused { _ = try await importing(text, shop) }
    #expect(refusal.code == .invalidImport && refusal.message.contains("line 4: actual_cost"))
    #expect(refusal.hint.contains("--empty-if-unreadable actual_cost"))
    #expect(try await entries(shop).isEmpty)
    for name in ["reported_on", "nonsense"] {
      let option = try await refused { _ = try await importing(text, shop, empty: [name]) }
      #expect(option.message.contains("--empty-if-unreadable"))
    }
  }

  @Test func `the right notation completes what the wrong one left empty`() async throws {
    let shop = try await Workshop.open()
    try await importingEmpty(shop)
    let repaired = try await importing(Self.costs, shop)
    #expect(repaired.completed == 3 && repaired.imported == 0 && repaired.alreadyThere == 0)
    #expect(try await costs(shop) == ["151.97", "1355.90", "48.00"])
    #expect(try await importing(Self.costs, shop).alreadyThere == 3)
  }

  @Test(arguments: [false, true])
  func `a corrected file completes the records of the faulty one, and is then known`(hasReference: Bool)
    async throws
  {
    let shop = try await Workshop.open()
    let mapping = hasReference ? Self.withReference : Self.plain
    try await importingEmpty(shop, mapping: mapping)
    let corrected = """
      Ref,Cost,Date,Type,Text,Asset
      c-3,48,2026-03-03,Engine,Filter,RM-001
      c-1,151.97,2026-03-01,Engine,Hose replaced,RM-001
      c-2,1355.90,2026-03-02,Engine,Pump overhaul,RM-001
      c-4,7.25,2026-03-04,Engine,Belt,RM-001

      """
    let repaired = try await importing(corrected, shop, mapping: mapping)
    #expect(repaired.completed == 3 && repaired.imported == 1)
    #expect(try await costs(shop) == ["151.97", "1355.90", "48.00", "7.25"])
    let again = try await importing(corrected, shop, mapping: mapping)
    #expect(again.completed == 0 && again.imported == 0 && again.alreadyThere == 4)
    #expect(try await importing(Self.costs, shop, mapping: mapping).alreadyThere == 3)
    #expect(try await entries(shop).count == 4)
  }

  @Test func `a value that somebody changed or emptied is kept and counted`() async throws {
    let shop = try await Workshop.open()
    try await importingEmpty(shop)
    let all = try await entries(shop)
    func update(_ index: Int, _ fields: JSONObject) async throws {
      let id = try #require(all[index]["id"]?.string.flatMap(UUID.init(uuidString:)))
      _ = try await shop.records.update(
        shop.operatorContext,
        type: "maintenance.entry",
        id: id,
        fields: fields
      )
    }
    try await update(0, ["actual_cost": "99.00", "description": "Hose replaced by Eva"])
    try await update(1, ["actual_cost": "1.00"])
    try await update(1, ["actual_cost": .null])
    let corrected = Self.costs.replacingOccurrences(of: ".", with: "").replacingOccurrences(
      of: ",",
      with: "."
    )
    let repaired = try await importing(corrected, shop)
    #expect(repaired.completed == 1 && repaired.imported == 0 && repaired.differing == [2, 3])
    #expect(try await costs(shop) == ["99.00", "", "48.00"])
  }

  @Test func `records that imports made before ids ignored the order of columns are recognised`() async throws
  {
    let shop = try await Workshop.open()
    var identities = ImportIdentities(
      company: shop.company.id,
      owner: nil,
      type: "maintenance.entry",
      columns: Self.plain.map(\.column),
      findsFormer: true
    )
    let raw = ["RM-001", "Filter", "Engine", "2026-03-03", "48,00"]
    let line = ImportLine(line: 4, cells: [], unread: [], raw: raw, source: [])
    let former: UUID = try #require(identities.next(line).identity.former)
    _ = try await shop.records.create(
      shop.operatorContext,
      type: "maintenance.entry",
      id: former,
      fields: shop.fields(["description": "Filter", "reported_on": "2026-03-03"])
    )
    let outcome = try await importing(Self.costs, shop)
    #expect(outcome.imported == 2 && outcome.completed == 1)
    #expect(try await costs(shop) == ["151.97", "1355.90", "48.00"])
  }

  @Test func `another work order is no correction, whatever else is equal`() async throws {
    let shop = try await Workshop.open()
    try await importingEmpty(shop)
    let other = "Asset,Text,Type,Date,Cost\nRM-001,Filter,Engine,2026-03-03,200.00\n"
    #expect(try await importing(other, shop).imported == 1)
    #expect(try await entries(shop).count == 4)
  }

  @Test func `a deleted record stays deleted after its line was corrected`() async throws {
    let shop = try await Workshop.open()
    try await importingEmpty(shop, mapping: Self.withReference)
    let first = try #require(try await entries(shop).first?["id"]?.string.flatMap(UUID.init(uuidString:)))
    _ = try await shop.records.delete(shop.operatorContext, type: "maintenance.entry", id: first)
    let corrected = Self.costs.replacingOccurrences(of: ",00", with: ",0")
      .replacingOccurrences(of: "151,97", with: "151,970")
    let outcome = try await importing(corrected, shop, mapping: Self.withReference)
    #expect(outcome.completed == 2 && outcome.imported == 0)
    #expect(try await entries(shop).count == 2)
  }

  @Test func `equal lines are imported and named, and a repeated reference is refused`() async throws {
    let shop = try await Workshop.open()
    let twice = Self.costs + "RM-001; Filter ;Engine;2026-03-03;48,00;c-9\n"
    let outcome = try await importing(twice, shop)
    #expect(outcome.imported == 4 && outcome.equal == [EqualLine(line: 5, first: 4)])
    #expect(try await importing(twice, shop).alreadyThere == 4)
    let repeated = try await refused {
      _ = try await importing(
        twice.replacingOccurrences(of: "c-9", with: "c-1"),
        shop,
        mapping: Self.withReference
      )
    }
    #expect(repeated.message.contains(#"line 5: external_ref: "c-1" is in line 2 too"#))
  }

  @Test func `a file whose numbers can be read in two ways is asked about`() async throws {
    let shop = try await Workshop.open()
    let text = "Asset,Text,Type,Date,Cost\nRM-001,Filter,Engine,2026-03-03,1.355\n"
    let asked = try await refused { _ = try await importing(text, shop) }
    #expect(asked.code == .invalidImport && asked.hint.contains("--decimal comma"))
    let rounded = try await refused {
      _ = try await importing(text, shop, notation: StatedNotation(decimal: .point))
    }
    #expect(rounded.message.contains("more than 2 decimals"))
    #expect(try await importing(text, shop, notation: StatedNotation(decimal: .comma)).imported == 1)
    #expect(try await costs(shop) == ["1355.00"])
  }

  @Test func `a file that is too large to be kept is read again, without the lines that were refused`()
    async throws
  {
    let shop = try await Workshop.open()
    let filler = String(repeating: "leaks at the boom cylinder ", count: 80)
    let lines = (0..<1_101).map {
      "RM-001;\($0) \(filler);Engine;2026-03-01;1,50;\($0 == 700 ? "c-1" : "c-\($0)")\n"
    }
    let text = "Asset;Text;Type;Date;Cost;Ref\n\(lines.joined())"
    #expect(text.utf8.count > 2_000_000)
    let plan = ImportPlan(type: "maintenance.entry", mapping: Self.withReference, skipsBad: true)
    let outcome = try await shop.importing(text, plan)
    #expect(outcome.imported == 1_100 && outcome.refused.map(\.line) == [702])
    let stored = try await shop.engine.superuser.value(
      "select count(distinct external_ref) from maintenance.entry where company_id = \(shop.company.id)",
      as: Int64.self
    )
    #expect(stored == 1_100)
    let again = try await shop.importing(text, plan)
    #expect(again.imported == 0 && again.alreadyThere == 1_100)
  }

  @Test func `times of day become dates in the company's zone, and states go by label in any case`()
    async throws
  {
    let shop = try await Workshop.open(timeZone: "Europe/Stockholm")
    let text = """
      wo,asset,kind,title,opened,state
      A-1,RM-001,Engine,Monthly check,2025-01-10T07:00:00,PENDING
      A-2,RM-001,Engine,Shakes,2025-01-11 06:15:00,IN_PROGRESS
      A-3,RM-001,Engine,Late,2025-07-11T22:30:00Z,In progress

      """
    let mapping = [
      (column: "external_ref", heading: "wo"), (column: "machine", heading: "asset"),
      (column: "category", heading: "kind"), (column: "description", heading: "title"),
      (column: "reported_on", heading: "opened"), (column: "status", heading: "state"),
    ]
    #expect(try await importing(text, shop, mapping: mapping).imported == 3)
    let found = try await entries(shop)
    #expect(found.compactMap { $0["reported_on"]?.string } == ["2025-01-10", "2025-01-11", "2025-07-12"])
    #expect(found.compactMap { $0["status"]?.string } == ["pending", "in_progress", "in_progress"])
    let unknown = try await refused {
      _ = try await importing(
        text.replacingOccurrences(of: "A-1", with: "A-9").replacingOccurrences(
          of: "PENDING",
          with: "CANCELLED"
        ),
        shop,
        mapping: mapping
      )
    }
    #expect(unknown.message.contains("only pending, in_progress, completed"), "\(unknown.message)")
  }
}

extension String {
  fileprivate func replacingOccurrences(of text: String, with other: String) -> String {
    split(separator: text, omittingEmptySubsequences: false).joined(separator: other)
  }
}
