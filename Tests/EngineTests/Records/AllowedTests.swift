import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// The listed actions other than transitions are exactly those that succeed.
@Suite(.timeLimit(.minutes(60))) struct AllowedTests {
  private static let actions: Set = ["update", "delete", "restore", "comment"]

  /// Returns the actions that succeed, without applying them.
  private func succeeding(
    _ shop: Workshop,
    _ type: String,
    _ id: UUID,
    _ acting: ActingContext,
    deleted: Bool
  )
    async throws
    -> Set<String>
  {
    let definition = try shop.engine.catalogue.type(type).definition
    let document = try? await shop.records.show(shop.operatorContext, type: type, id: id, deleted: deleted)
    func works(_ body: () async throws -> Void) async throws -> Bool {
      do {
        try await body()
        return true
      } catch is DomainError {
        return false
      }
    }
    var found: Set<String> = []
    for field in definition.editable {
      let same: JSONObject = [field: document?[field] ?? .null]
      let edits = try await works {
        _ = try await shop.records.update(acting, type: type, id: id, fields: same, dryRun: true)
      }
      if edits { found.insert("update") }
    }
    if try await works({ _ = try await shop.records.delete(acting, type: type, id: id, dryRun: true) }) {
      found.insert("delete")
    }
    if try await works({ _ = try await shop.records.restore(acting, type: type, id: id, dryRun: true) }) {
      found.insert("restore")
    }
    let talk = Conversation(shop.engine.services, shop.records)
    if try await works({ _ = try await talk.say(acting, type: type, id: id, "well", dryRun: true) }) {
      found.insert("comment")
    }
    return found
  }

  private func holds(_ shop: Workshop, _ type: String, _ id: UUID, deleted: Bool = false) async throws -> Int
  {
    var offered = 0
    for name in ["owner", "admin", "user", "user2", "viewer", "service", "operator"] {
      let acting = name == "operator" ? shop.operatorContext : shop.acting(name)
      let document = try? await shop.records.show(acting, type: type, id: id, deleted: deleted)
      let shown = Set(document?["allowed"]?.array?.compactMap(\.string) ?? []).intersection(Self.actions)
      let tried = try await succeeding(shop, type, id, acting, deleted: deleted)
      #expect(shown == tried, "\(name) on \(type)")
      var query = RecordQuery()
      query.deleted = deleted
      query.conditions = [RecordCondition("id", .equal, id.uuidString)]
      let listed = try? await shop.records.list(acting, type: type, query).first?["allowed"]
      if document != nil, !deleted || listed != nil {
        #expect(listed == document?["allowed"], "\(name) in a list")
      }
      offered += shown.count
    }
    return offered
  }

  @Test func `the actions shown as allowed succeed, for each role and status`() async throws {
    let shop = try await Workshop.open(roles: ["admin", "user", "user2", "viewer", "service"])
    let entry = try await shop.entry()
    var offered = try await holds(shop, "maintenance.entry", entry)
    offered += try await holds(shop, "maintenance.machine", shop.machine)
    let worker = try #require(shop.members["user"]?.userID)
    let hours = try await shop.records.create(
      shop.acting("user"),
      type: "maintenance.time_entry",
      fields: [
        "entry_id": .id(entry), "user_id": .id(worker), "work_date": "2026-03-02", "start_time": "08:00",
        "end_time": "10:00",
      ]
    ).id
    offered += try await holds(shop, "maintenance.time_entry", hours)
    try await shop.take("start", entry)
    offered += try await holds(shop, "maintenance.entry", entry)
    try await shop.take("complete", entry)
    offered += try await holds(shop, "maintenance.entry", entry)
    offered += try await holds(shop, "maintenance.time_entry", hours)
    offered += try await holds(shop, "maintenance.category", shop.category)
    _ = try await shop.records.delete(shop.operatorContext, type: "maintenance.entry", id: entry)
    offered += try await holds(shop, "maintenance.entry", entry, deleted: true)
    offered += try await holds(shop, "maintenance.time_entry", hours, deleted: true)
    offered += try await holds(shop, "maintenance.machine", shop.machine)
    #expect(offered > 60, "so that the law is not kept by offering nothing: \(offered)")
  }

  @Test func `in a suspended company nothing is allowed`() async throws {
    let shop = try await Workshop.open(roles: ["admin", "user"])
    let entry = try await shop.entry()
    try await Companies(shop.engine.operators).setStatus(shop.operatorContext, to: .suspended)
    let shown = try await shop.records.show(shop.acting("admin"), type: "maintenance.entry", id: entry)
    #expect(shown["allowed"] == [] && shown["version"] == 1)
  }
}
