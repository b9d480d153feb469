import Domain
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

@testable import Engine

/// Imports have numbers, and can be undone while nothing else has touched their records.
@Suite(.timeLimit(.minutes(60))) struct ImportUndoTests {
  private static let orders = """
    Asset,Text,Type,Ref
    RM-001,Leak,Engine,
    RM-001,Leak,Engine,
    EX-9,Pump,Hydraulics,r-1

    """
  private static let map = [
    (column: "machine", heading: "Asset"), (column: "description", heading: "Text"),
    (column: "category", heading: "Type"),
  ]

  private func importing(
    _ shop: Workshop,
    _ text: String = orders,
    references: Bool = false,
    status: String? = nil,
    dryRun: Bool = false,
    acting: ActingContext? = nil
  ) async throws -> ImportOutcome {
    try await TemporaryFile.with(text) { path in
      try await RecordImporter(shop.engine.operators, records(shop)).run(
        acting ?? shop.operatorContext,
        path: path,
        plan: ImportPlan(
          type: "maintenance.entry",
          mapping: Self.map + (references ? [(column: "external_ref", heading: "Ref")] : []),
          fixed: status.map { [(column: "status", value: $0)] } ?? [],
          createsMissing: true
        ),
        dryRun: dryRun
      )
    }
  }

  private func records(_ shop: Workshop) -> Records {
    Records(shop.engine.operators, catalogue: shop.engine.catalogue)
  }

  private func imports(_ shop: Workshop) -> Imports { Imports(shop.engine.operators, records(shop)) }

  private func count(_ shop: Workshop, _ type: String = "maintenance.entry") async throws -> Int {
    var query = RecordQuery()
    query.limit = 100
    return try await shop.records.list(shop.operatorContext, type: type, query).count
  }

  private func entry(_ shop: Workshop, _ text: String) async throws -> UUID {
    var query = RecordQuery()
    query.search = text
    let found = try await shop.records.list(shop.operatorContext, type: "maintenance.entry", query)
    return try #require(found.first?["id"]?.string.flatMap(UUID.init(text:)))
  }

  @Test(arguments: [false, true])
  func `an import is undone with what it created, and its file is imported again`(references: Bool)
    async throws
  {
    let shop = try await Workshop.open()
    #expect(try await importing(shop, references: references, dryRun: true).number == nil)
    let first = try await importing(shop, references: references)
    #expect(first.number == 1 && first.imported == 3)
    for round in 1...3 {
      #expect(try await importing(shop, references: references).number == nil)
      let dry = try await imports(shop).undo(shop.operatorContext, number: Int64(round), dryRun: true)
      #expect(try await count(shop) == 3)
      let undone = try await imports(shop).undo(shop.operatorContext, number: Int64(round))
      #expect(dry.removed == undone.removed)
      #expect(
        undone.removed == ["maintenance.entry": 3, "maintenance.machine": 1, "maintenance.category": 1]
      )
      #expect(try await count(shop) == 0)
      #expect(try await count(shop, "maintenance.machine") == 1)
      // Another status, because a wrong one is a reason to undo an import.
      let again = try await importing(shop, references: references, status: "completed")
      #expect(again.imported == 3 && again.alreadyThere == 0 && again.number == Int64(round + 1))
    }
    let list = try await imports(shop).newest(shop.operatorContext)
    #expect(
      list.map(\.number) == [4, 3, 2, 1] && list.map { $0.undoneAt == nil } == [true, false, false, false]
    )
    #expect(list.allSatisfy { $0.imported == 3 && $0.created == 2 && $0.type == "maintenance.entry" })
    let twice = try await refused { _ = try await imports(shop).undo(shop.operatorContext, number: 1) }
    #expect(twice.code == .wrongState)
    let unknown = try await refused { _ = try await imports(shop).undo(shop.operatorContext, number: 99) }
    #expect(unknown.code == .notFound)
    let audit = try await AuditTrail(shop.engine.operators).newest(
      shop.operatorContext,
      limit: 10,
      action: "record.import_undone"
    )
    #expect(audit.map(\.subjectID) == ["3", "2", "1"])
  }

  @Test func `an import whose records were changed, commented on or used is not undone, and says which`()
    async throws
  {
    let shop = try await Workshop.open()
    _ = try await importing(shop)
    let pump = try await entry(shop, "Pump")
    let owner = shop.acting("owner")
    _ = try await shop.records.create(
      owner,
      type: "maintenance.time_entry",
      fields: [
        "entry_id": .string(pump.text), "user_name": "Guest", "work_date": "2026-03-02",
        "start_time": "08:00",
        "end_time": "09:00",
      ]
    )
    let used = try await refused { _ = try await imports(shop).undo(shop.operatorContext, number: 1) }
    #expect(used.code == .stillReferenced && used.message.contains("WO-"))
    #expect(try await count(shop) == 3)

    let other = try await Workshop.open()
    _ = try await importing(other)
    let leak = try await entry(other, "Leak")
    _ = try await Conversation(other.engine.services, other.records).say(
      other.acting("owner"),
      type: "maintenance.entry",
      id: leak,
      "Which hose?"
    )
    let spoken = try await refused { _ = try await imports(other).undo(other.operatorContext, number: 1) }
    #expect(spoken.code == .stale && spoken.message.contains("1 maintenance entry was changed since: WO-"))

    let third = try await Workshop.open()
    _ = try await importing(third)
    let changed = try await entry(third, "Pump")
    _ = try await third.records.update(
      third.acting("owner"),
      type: "maintenance.entry",
      id: changed,
      fields: ["description": "Pump!"]
    )
    let stale = try await refused { _ = try await imports(third).undo(third.operatorContext, number: 1) }
    #expect(stale.code == .stale && stale.hint.contains("record delete maintenance.entry --where"))
    // What was deleted by hand does not stand in the way, and stays deleted when the file is imported again.
    _ = try await third.records.delete(third.acting("owner"), type: "maintenance.entry", id: changed)
    let undone = try await imports(third).undo(third.operatorContext, number: 1)
    #expect(undone.alreadyDeleted == 1 && undone.removed["maintenance.entry"] == 2)
  }

  @Test
  func `an import of another company has no number here, and a member without the right undoes nothing`()
    async throws
  {
    let shop = try await Workshop.open()
    let other = try await Workshop.open()
    _ = try await importing(shop)
    _ = try await importing(shop, "Asset,Text,Type\nRM-001,Belt,Engine\n")
    let foreign = try await refused { _ = try await imports(other).undo(other.operatorContext, number: 2) }
    #expect(foreign.code == .notFound)
    #expect(try await imports(other).newest(other.operatorContext).isEmpty)
    let viewer = try await refused {
      _ = try await Imports(shop.engine.services, shop.records).undo(shop.acting("viewer"), number: 2)
    }
    #expect(viewer.code == .forbidden)
    #expect(try await Imports(shop.engine.services, shop.records).newest(shop.acting("viewer")).count == 2)
    #expect(try await count(shop) == 4)
  }

  @Test func `records that match a filter are deleted together, and refused ones stay`() async throws {
    let shop = try await Workshop.open()
    _ = try await importing(shop)
    var query = RecordQuery()
    query.conditions = [RecordCondition("description", .equal, "Leak")]
    let dry = try await shop.records.deleteAll(
      shop.operatorContext,
      type: "maintenance.entry",
      where: query,
      dryRun: true
    )
    #expect(dry.done == 2 && dry.items.allSatisfy { $0.name?.hasPrefix("WO-") == true })
    #expect(try await count(shop) == 3)
    // A machine with entries is refused; the others go.
    query.conditions = []
    let machines = try await shop.records.deleteAll(
      shop.operatorContext,
      type: "maintenance.machine",
      where: query,
      comment: "Sold"
    )
    #expect(machines.refused == 2 && machines.done == 0 && machines.items.first?.code == .stillReferenced)
    query.conditions = [RecordCondition("description", .equal, "Leak")]
    let gone = try await shop.records.deleteAll(shop.operatorContext, type: "maintenance.entry", where: query)
    #expect(gone.done == 2)
    #expect(try await count(shop) == 1)
    let viewer = try await shop.records.deleteAll(
      shop.acting("viewer"),
      type: "maintenance.entry",
      where: RecordQuery()
    )
    #expect(viewer.done == 0 && viewer.items.allSatisfy { $0.code == .forbidden })
    #expect(try await count(shop) == 1)
  }
}
