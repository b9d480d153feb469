import API
import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Synchronization
import TestDatabase
import Testing

/// What devices may rely on: answers and effects are stored together, nothing is decided for good that can be tried
/// again, and a restored database is noticed.
@Suite(.timeLimit(.minutes(60))) struct SyncGuaranteeTests {
  private static let entry = "maintenance.entry"

  /// Opens the API of a workshop in a database of its own.
  private func alone() async throws -> APIFixture {
    let engine = try await EngineFixture.open(TestDatabase.make(), poolSize: 8)
    return try await TestDevice.api(Workshop.open(in: engine))
  }

  @Test func `if the answers cannot be stored, nothing is applied`() async throws {
    let api = try await alone()
    var device = try await TestDevice.register(api, of: "user")
    let ids = [UUID(), UUID()]
    let changes = ids.map { id in
      device.change(Self.entry, id, "create", ["fields": .object(api.shop.fields())])
    }
    try await api.shop.engine.superuser.execute(
      "alter table core.sync_item add constraint probe check (no <> 2)"
    )
    #expect(try await device.push(changes).status >= 400)
    for id in ids {
      #expect(try await api.get("/v1/maintenance/entry/\(id.text)", as: device.caller).status == 404)
    }
    try await api.shop.engine.superuser.execute("alter table core.sync_item drop constraint probe")
    let again = try await device.push(changes)
    #expect(again.kinds == ["applied", "applied"])
    #expect(again.results.allSatisfy { $0["replayed"] == nil })
    await api.shop.engine.close()
  }

  @Test func `a change that could not be judged is judged when it comes again`() async throws {
    let shop = try await Workshop.open()
    let isBusy = Mutex(true)
    let usual = try #require(CompiledApps.rules.records[Self.entry])
    let rule = RecordRule(normalise: usual.normalise) { fields, acting, pipeline in
      guard isBusy.withLock(\.self) else { return try usual.check(fields, acting, &pipeline) }
      return { _ in throw DomainError(.unavailable, "the rule's service does not answer") }
    }
    let services = Services(
      database: shop.engine.services.database,
      rules: AppRules(records: [Self.entry: rule])
    ) { throw DomainError(.internal, "the test has no keys") }
    let api = try await TestDevice.api(shop, services: services)
    var device = try await TestDevice.register(api, of: "user")
    let (first, second) = (UUID(), UUID())
    let changes = [
      device.change(Self.entry, first, "create", ["fields": .object(shop.fields())]),
      device.change(Self.entry, second, "create", ["fields": .object(shop.fields())]),
    ]
    let refused = try await device.push(changes)
    #expect(refused.kinds == ["retry", "retry"], "\(refused.text)")
    #expect(refused.results.allSatisfy { $0["retry_after_ms"] != nil })
    isBusy.withLock { $0 = false }
    let again = try await device.push(changes)
    #expect(again.kinds == ["applied", "applied"], "\(again.text)")
    #expect(again.results.allSatisfy { $0["replayed"] == nil })
  }

  @Test func `eight copies of a push at once get one answer, also if the record has changed since`()
    async throws
  {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "admin")
    let id = try await api.shop.entry("admin")
    let patch = device.change(
      Self.entry,
      id,
      "patch",
      ["fields": ["description": "hose"], "base_version": 1]
    )
    let sent = device
    let answers = try await withThrowingTaskGroup { group in
      for _ in 0..<8 { group.addTask { try await sent.push([patch]) } }
      return try await group.reduce(into: [TestAnswer]()) { $0.append($1) }
    }
    #expect(answers.allSatisfy { $0.kinds == ["applied"] && $0.results.first?["version"] == 2 })
    #expect(answers.count { $0.results.first?["replayed"] == true } == 7)
    #expect(try await api.shop.count("history", of: id) == 2)
  }

  @Test func `a change of an unknown record creates none, whatever it contains`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "admin")
    for more: JSONObject in [[:], ["base_version": 1]] {
      let id = UUID()
      var change = device.change(Self.entry, id, "patch", ["fields": .object(api.shop.fields())])
      for (name, value) in more.members { change[name] = value }
      #expect(try await device.push([change]).results.first?["code"] == "not_found")
      #expect(try await api.get("/v1/maintenance/entry/\(id.text)", as: device.caller).status == 404)
    }
  }

  @Test func `after a restore, the cursors and the epoch of before are refused`() async throws {
    let api = try await alone()
    var device = try await TestDevice.register(api, of: "user")
    let id = try await api.shop.entry()
    #expect(try await device.pull().contains { $0["id"]?.string == id.text })
    let before = try #require(await device.page().json["epoch"]?.string)
    _ = try await api.shop.engine.operators.database.value("select core.begin_epoch()", as: UUID.self)
    let refused = try await device.page()
    #expect(refused.status == 410)
    #expect(refused.code == .resyncRequired)
    #expect(refused.json["reason"] == "restored")
    #expect(try await device.push([], ["epoch": .string(before)]).code == .resyncRequired)
    device.cursor = nil
    let page = try await device.page()
    #expect(page.json["epoch"]?.string != before)
    #expect(try await device.pull().contains { $0["id"]?.string == id.text })
    await api.shop.engine.close()
  }

  @Test func `changes of private records that wait for a person are shown to their owner alone`() async throws
  {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user", app: "macros")
    let fields: JSONObject = ["day_type": "rest", "protein_g": -1, "carbs_g": 200, "fat_g": 60]
    let change = device.change("macros.goal", UUID(), "create", ["fields": .object(fields)])
    #expect(try await device.push([change]).kinds == ["rejected"])
    let company = try await TestDevice.register(api, of: "user")
    var other = company
    let plain = other.change(Self.entry, UUID(), "delete")
    #expect(try await other.push([plain]).kinds == ["rejected"])
    func types(as name: String, _ query: String) async throws -> Set<String> {
      let status = try await api.get("/v1/sync/status\(query)", as: api.member(name))
      return Set(status.json["items"]?.array?.compactMap { $0.object?["type"]?.string } ?? [])
    }
    #expect(try await types(as: "user", "") == ["macros.goal", Self.entry])
    #expect(try await types(as: "admin", "?all=true") == [Self.entry])
  }
}
