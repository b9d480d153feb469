import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Columns that a rule computes at creation keep their values in all edits.
@Suite(.timeLimit(.minutes(60))) struct CreationValueTests {
  private func name(_ shop: Workshop, _ entry: UUID) async throws -> JSONValue? {
    try await shop.records.show(shop.acting("viewer"), type: "maintenance.entry", id: entry)[
      "created_by_name"
    ]
  }

  /// Writes the name of an editor over the reporter's, as an earlier build did.
  private func overwrite(_ shop: Workshop, _ entry: UUID, _ value: JSONValue) async throws {
    let acting = shop.acting("admin")
    let before = try await shop.records.show(acting, type: "maintenance.entry", id: entry)
    let type = try shop.records.catalogue.type("maintenance.entry")
    _ = try await shop.records.perform(acting) { work in
      let (access, locked) = try work.read { pipeline in
        pipeline.rows(type.lock(company: shop.company.id, id: entry), as: LockedRow.self)
      }
      return try RecordWriter(type: type, acting: acting, access: access).edit(
        id: entry,
        fields: ["created_by_name": value],
        from: try #require(try locked.first),
        before: before,
        in: &work
      )
    }
  }

  @Test(arguments: ["admin", "owner", nil])
  func `the name of the reporter stays at every edit`(editor: String?) async throws {
    let shop = try await Workshop.open(roles: ["admin", "user", "viewer"])
    let entry = try await shop.entry("user")
    #expect(try await name(shop, entry) == "Member user")
    let acting = editor.map { shop.acting($0) } ?? shop.operatorContext
    _ = try await shop.records.update(
      acting,
      type: "maintenance.entry",
      id: entry,
      fields: ["description": "leaks oil"]
    )
    _ = try await shop.records.update(acting, type: "maintenance.entry", id: entry, fields: ["priority": 1])
    #expect(try await name(shop, entry) == "Member user")
  }

  @Test func `a name that was replaced comes back from history, once`() async throws {
    let shop = try await Workshop.open()
    let (entry, untouched) = (try await shop.entry("user"), try await shop.entry("user"))
    try await overwrite(shop, entry, "Member admin")
    try await overwrite(shop, entry, "Somebody later")
    #expect(try await name(shop, entry) == "Somebody later")
    let operators = Records(shop.engine.operators, catalogue: shop.engine.catalogue)
    let found = try await operators.repairOrigins(shop.operatorContext, type: nil, dryRun: true)
    #expect(found.map(\.record) == [entry] && found.first?.created == "Member user")
    #expect(try await name(shop, entry) == "Somebody later")
    let repaired = try await operators.repairOrigins(shop.operatorContext, type: nil, dryRun: false)
    #expect(repaired.map(\.record) == [entry])
    #expect(try await name(shop, entry) == "Member user")
    #expect(try await operators.repairOrigins(shop.operatorContext, type: nil, dryRun: false).isEmpty)
    #expect(try await name(shop, untouched) == "Member user")
    #expect(try await shop.records.verify(shop.operatorContext, type: "maintenance.entry", id: entry) == nil)
    let refused = await #expect(throws: DomainError.self) {
      try await operators.repairOrigins(shop.acting("admin"), type: nil, dryRun: false)
    }
    #expect(refused?.code == .forbidden)
  }
}
