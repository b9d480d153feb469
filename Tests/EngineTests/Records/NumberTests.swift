import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Record numbers: their assignment, lookups by number, and the settings of a company.
@Suite(.timeLimit(.minutes(60))) struct NumberTests {
  @Test func `records of a company are numbered one after the other, and found by number in any case`()
    async throws
  {
    let shop = try await Workshop.open()
    let first = try await create(shop)
    let second = try await create(shop)
    #expect(first.number == "WO-1001" && second.number == "WO-1002")
    let records = shop.records
    let found = try await records.resolve(shop.acting("user"), type: "maintenance.entry", " wo-1002 ")
    #expect(found == second.id)
    let shown = try await records.show(shop.acting("user"), type: "maintenance.entry", id: second.id)
    #expect(shown["number"] == "WO-1002")
    let started = try await shop.take("start", second.id)
    #expect(started.number == "WO-1002")
    let unknown = try await refused {
      _ = try await records.resolve(shop.acting("user"), type: "maintenance.entry", "WO-1003")
    }
    #expect(unknown.code == .notFound && unknown.hint == "use one of: WO-1001, WO-1002")
    #expect(try await records.verify(shop.operatorContext, type: "maintenance.entry", id: second.id) == nil)
    let other = try await Workshop.open()
    #expect(try await create(other).number == "WO-1001")
  }

  @Test func `nobody writes a number, and a rolled-back creation leaves at most a gap`() async throws {
    let shop = try await Workshop.open()
    for column in ["number", "number_seq"] {
      let refusal = try await refused { _ = try await shop.entry("user", [column: "7"]) }
      #expect(refusal.code == .fieldNotEditable)
    }
    let dry = try await shop.records.create(
      shop.acting("user"),
      type: "maintenance.entry",
      fields: shop.fields(),
      dryRun: true
    )
    #expect(dry.number == "WO-1001")
    #expect(try await numbers(shop).isEmpty)
    #expect(try await create(shop).number == "WO-1001")
  }

  @Test func `creations at once get different numbers and none fails`() async throws {
    let shop = try await Workshop.open()
    let given = try await withThrowingTaskGroup(of: [String?].self) { group in
      for _ in 0..<12 {
        group.addTask {
          var numbers: [String?] = []
          for _ in 0..<5 { numbers.append(try await create(shop).number) }
          return numbers
        }
      }
      return try await group.reduce(into: [String?]()) { $0 += $1 }
    }
    #expect(Set(given.compactMap { $0 }).count == 60)
    #expect(try await numbers(shop).count == 60)
    #expect(try await Integrity(shop: shop).faults() == [])
  }

  @Test func `a creation does not wait for another that has a number and has not committed`() async throws {
    let shop = try await Workshop.open()
    let acting = shop.acting("user")
    let records = shop.records
    let fields = shop.fields()
    let slow = try await records.perform(acting) { work in
      let slow = try records.create(acting, type: "maintenance.entry", id: UUID(), fields: fields, in: &work)
      // During this transaction another one begins, takes a number and commits.
      let quick = try Blocking.wait {
        try await records.create(acting, type: "maintenance.entry", fields: fields)
      }
      guard quick.number == "WO-1002" else { throw DomainError(.internal, "\(quick.number ?? "no number")") }
      return slow
    }
    #expect(slow.number == "WO-1001")
    #expect(try await numbers(shop) == ["WO-1001", "WO-1002"])
  }

  @Test func `several records of one unit of work have numbers of their own`() async throws {
    let shop = try await Workshop.open()
    let operations = (0..<3).map { _ in
      RecordOperation.create(type: "maintenance.entry", id: UUID(), fields: shop.fields())
    }
    let answers = try await shop.records.apply(shop.acting("user"), operations)
    #expect(answers.map(\.number) == ["WO-1001", "WO-1002", "WO-1003"])
  }

  @Test func `a company chooses its own format and where numbers go on`() async throws {
    let shop = try await Workshop.open()
    let series = NumberSeries(shop.engine.operators, shop.records)
    _ = try await create(shop)
    let viewer = try await refused {
      try await series.set(
        shop.acting("viewer"),
        type: "maintenance.entry",
        format: NumberFormat("SRV-{n}"),
        next: nil
      )
    }
    #expect(viewer.code == .forbidden)
    try await series.set(
      shop.acting("owner"),
      type: "maintenance.entry",
      format: NumberFormat("SRV-{n}"),
      next: 5_000
    )
    let answer = try await create(shop)
    #expect(answer.number == "SRV-5000")
    #expect(try await numbers(shop) == ["WO-1001", "SRV-5000"])
    let row = try #require(
      try await series.list(shop.operatorContext).first { $0.type == "maintenance.entry" }
    )
    #expect(row.format.text == "SRV-{n}" && row.isOwn && row.next == "SRV-5001")
    let back = try await refused {
      try await series.set(shop.acting("owner"), type: "maintenance.entry", format: nil, next: 4_000)
    }
    #expect(back.code == .invalidInput && back.hint.contains("5001"))
    let none = try await refused {
      try await series.set(shop.acting("owner"), type: "maintenance.machine", format: nil, next: 7)
    }
    #expect(none.message.contains("machines"))
  }

  @Test func `a number that is the reference of another record is refused as ambiguous`() async throws {
    let shop = try await Workshop.open()
    let first = try await create(shop)
    let other = try await shop.entry("user", ["external_ref": "WO-1001"])
    let refusal = try await refused {
      _ = try await shop.records.resolve(shop.acting("user"), type: "maintenance.entry", "WO-1001")
    }
    #expect(refusal.code == .invalidInput)
    #expect(refusal.hint.contains(first.id.text) && refusal.hint.contains(other.text))
    // A record may have its own number as reference.
    let same = try await shop.entry("user", ["external_ref": "WO-1003"])
    let found = try await shop.records.resolve(shop.acting("user"), type: "maintenance.entry", "WO-1003")
    #expect(found == same)
  }

  @Test func `lists are sorted by counter, not by text`() async throws {
    let shop = try await Workshop.open()
    let series = NumberSeries(shop.engine.operators, shop.records)
    for next in [9_999, 10_000] as [Int64] {
      try await series.set(shop.operatorContext, type: "maintenance.entry", format: nil, next: next)
      _ = try await create(shop)
    }
    #expect(try await numbers(shop) == ["WO-9999", "WO-10000"])
  }

  @Test func `an import takes a block, and what no line got is given back`() async throws {
    let shop = try await Workshop.open()
    _ = try await create(shop)
    let lines = (1...700).map { "RM-001,Engine,line \($0),L-\($0),2026-01-02" }
    let text = (["machine_id,category_id,description,external_ref,reported_on"] + lines).joined(
      separator: "\n"
    )
    try await TemporaryFile.with(text) { try await importing($0, shop) }
  }

  private func importing(_ path: String, _ shop: Workshop) async throws {
    let importer = RecordImporter(
      shop.engine.operators,
      Records(shop.engine.operators, catalogue: shop.engine.catalogue)
    )
    let plan = ImportPlan(type: "maintenance.entry")
    let dry = try await importer.run(shop.acting("admin"), path: path, plan: plan, dryRun: true)
    #expect(dry.imported == 700)
    let outcome = try await importer.run(shop.acting("admin"), path: path, plan: plan)
    #expect(outcome.imported == 700)
    let all = try await numbers(shop)
    #expect(all.count == 701 && all.first == "WO-1001" && all.last == "WO-1701")
    let again = try await importer.run(shop.acting("admin"), path: path, plan: plan)
    #expect(again.imported == 0)
    #expect(try await create(shop).number == "WO-1702")
    let found = try await shop.records.resolve(shop.acting("user"), type: "maintenance.entry", "WO-1002")
    let shown = try await shop.records.show(shop.acting("user"), type: "maintenance.entry", id: found)
    #expect(shown["external_ref"] == "L-1")
  }

  private func create(_ shop: Workshop) async throws -> RecordAnswer {
    try await shop.records.create(shop.acting("user"), type: "maintenance.entry", fields: shop.fields())
  }

  private func numbers(_ shop: Workshop) async throws -> [String] {
    var query = RecordQuery()
    query.sort = "number"
    query.limit = 10_000
    return try await shop.records.list(shop.acting("user"), type: "maintenance.entry", query)
      .compactMap { $0["number"]?.string }
  }
}
