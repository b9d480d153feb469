import Domain
import EngineFixtures
import FoundationEssentials
import Store
import Testing

@testable import Engine

/// Lines that an earlier import has read differently, and files that say a reference twice.
@Suite(.timeLimit(.minutes(60))) struct FormerLineTests {
  private static let orders = """
    Asset,Text,Type,Cost,Remark
    RM-001,Leak,Engine,100,
    RM-001,Leak,Engine,100,
    RM-001,Pump,Engine,250,seen twice

    """
  private static let narrow = ["machine": "Asset", "description": "Text", "category": "Type"]
  private static let wide = narrow.merging(["actual_cost": "Cost"]) { first, _ in first }

  private func importing(
    _ shop: Workshop,
    _ text: String,
    _ map: [String: String] = [:],
    fixed: [String: String] = [:],
    repeats: Bool = false,
    skipsBad: Bool = false
  ) async throws -> ImportOutcome {
    try await shop.importing(
      text,
      ImportPlan(entries: map, fixed: fixed, skipsBad: skipsBad, repeats: repeats)
    )
  }

  private func refusal(_ work: () async throws -> ImportOutcome) async -> DomainError? {
    await #expect(throws: DomainError.self) { _ = try await work() }
  }

  private func undo(_ shop: Workshop, _ number: Int64?) async throws {
    let records = Records(shop.engine.operators, catalogue: shop.engine.catalogue)
    _ = try await Imports(shop.engine.operators, records).undo(shop.operatorContext, number: #require(number))
  }

  @Test(arguments: [true, false])
  func `the same file with other columns is refused, until the import is undone`(isWiderFirst: Bool)
    async throws
  {
    let shop = try await Workshop.open()
    let maps = isWiderFirst ? [Self.wide, Self.narrow] : [Self.narrow, Self.wide]
    let first = try await importing(shop, Self.orders, maps[0])
    #expect(first.imported == 3)
    let error = await refusal { try await importing(shop, Self.orders, maps[1]) }
    #expect(error?.code == .invalidImport)
    #expect(error?.message.contains("import 1 has made a record of this line, from other columns") == true)
    #expect(error?.hint.contains("record import undo 1") == true)
    // Nothing of it depends on the order of the columns.
    let turned = """
      Cost,Remark,Text,Asset,Type
      250,seen twice,Pump,RM-001,Engine

      """
    let again = await refusal { try await importing(shop, turned, maps[1]) }
    #expect(again?.code == .invalidImport)
    // The same columns add nothing, as before.
    #expect(try await importing(shop, Self.orders, maps[0]).alreadyThere == 3)
    try await undo(shop, first.number)
    #expect(try await importing(shop, Self.orders, maps[1]).imported == 3)
  }

  @Test func `one more equal line is new, a line with another remark too, and asking for it imports again`()
    async throws
  {
    let shop = try await Workshop.open()
    _ = try await importing(shop, Self.orders, Self.wide)
    let more = """
      Asset,Text,Type,Cost,Remark
      RM-001,Leak,Engine,100,
      RM-001,Leak,Engine,100,
      RM-001,Leak,Engine,100,
      RM-001,Pump,Engine,250,seen again

      """
    let outcome = try await importing(shop, more, Self.narrow, skipsBad: true)
    #expect(outcome.imported == 2 && outcome.refused.map(\.line) == [2, 3])
    #expect(outcome.refused.allSatisfy { $0.code == .alreadyExists && $0.formerImport == 1 })
    #expect(try await importing(shop, Self.orders, Self.narrow, repeats: true).imported == 2)
  }

  @Test func `a line that was refused is new when its file comes again`() async throws {
    let shop = try await Workshop.open()
    let bad = """
      Asset,Text,Type,Cost
      RM-001,Leak,Engine,much
      RM-001,Pump,Engine,250

      """
    #expect(try await importing(shop, bad, Self.wide, skipsBad: true).imported == 1)
    let rest = try await importing(shop, bad, Self.narrow, skipsBad: true)
    #expect(rest.imported == 1 && rest.refused.map(\.line) == [3])
  }

  @Test func `a value for all lines that the records do not have is told, not swallowed`() async throws {
    let shop = try await Workshop.open()
    _ = try await importing(shop, Self.orders, Self.wide)
    func again(_ fixed: [String: String]) async throws -> ImportOutcome {
      try await importing(shop, Self.orders, Self.wide, fixed: fixed)
    }
    #expect(try await again(["status": "completed"]).differing == [2, 3, 4])
    #expect(try await again(["status": "pending"]).differing.isEmpty)
    #expect(try await again(["priority": "1"]).differing == [2, 3, 4])
  }

  private func exported(_ shop: Workshop, _ columns: [String]) async throws -> [String] {
    let rows = try await shop.records.list(shop.operatorContext, type: "maintenance.entry", RecordQuery())
    return rows.map { row in columns.map { row[$0]?.displayText ?? "" }.joined(separator: ",") }
  }

  @Test func `the name beside the id of a reference must agree with it, and fills the reference alone`()
    async throws
  {
    let shop = try await Workshop.open()
    _ = try await importing(shop, Self.orders, Self.wide)
    let columns = [
      "id", "version", "machine_id", "machine_code", "category_id", "category_name", "description",
    ]
    let heading = columns.joined(separator: ",")
    let line = try #require(try await exported(shop, columns).first { $0.contains("Pump") })
    #expect(try await importing(shop, "\(heading)\n\(line)\n").alreadyThere == 1)
    for (name, edited) in [("machine_code", "RM-001"), ("category_name", "Engine")] {
      let file = "\(heading)\n\(line.replacing(",\(edited),", with: ",Other,"))\n"
      let error = await refusal { try await importing(shop, file) }
      #expect(
        error?.message.contains("\(name): \"Other\" is another than \"\(edited)\"") == true,
        "\(error as Any)"
      )
    }
    // Emptied, it is no silent nothing either.
    let emptied = await refusal {
      try await importing(shop, "\(heading)\n\(line.replacing(",Engine,", with: ",,"))\n")
    }
    #expect(emptied?.code == .invalidImport)
    // Who changes the reference itself need not change the name.
    let id = line.split(separator: ",")[2]
    let moved = try await importing(shop, "\(heading)\n\(line.replacing(id, with: "EX-7"))\n")
    #expect(moved.updated == 1)
    // Without the id, the name is the reference.
    let new = try await importing(
      shop,
      """
      machine_code,category_name,description
      RM-001,Engine,By its name

      """
    )
    #expect(new.imported == 1)
    #expect(
      try await exported(shop, ["machine_code", "category_name", "description"])
        .contains("RM-001,Engine,By its name")
    )
    let odd = await refusal {
      try await importing(shop, "machine_id,machine_code,category_name,description\nRM-001,EX-7,Engine,Two\n")
    }
    #expect(odd?.message.contains("machine_code: \"EX-7\"") == true)
  }
}
