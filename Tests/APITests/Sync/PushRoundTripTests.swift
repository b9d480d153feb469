import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// The round trips of a push do not depend on the number of its changes.
@Suite(.timeLimit(.minutes(60)), .app("maintenance"), .app("macros")) struct PushRoundTripTests {
  private static let entry = "maintenance.entry"

  private static func open() async throws -> (RoundTrips, APIFixture) {
    let shop = try await Workshop.open()
    let process = RoundTrips(shop.engine.database, as: "fettle_app")
    return (process, try await TestDevice.api(shop, services: process.services))
  }

  /// Returns the round trips of a push, without notifications of workers.
  private func trips(_ process: RoundTrips, _ device: TestDevice, _ changes: [JSONObject]) async throws -> Int
  {
    _ = try await process.during {
      let answer = try await device.push(changes)
      #expect(answer.kinds == changes.map { _ in "applied" }, "\(answer.text)")
    }
    return process.last.split(separator: "\n").count { !$0.contains("notify_workers") }
  }

  @Test func `a hundred creations or transitions take two round trips, edits of a type with a rule three`()
    async throws
  {
    let (process, api) = try await Self.open()
    var device = try await TestDevice.register(api, of: "admin")
    let ids = (0..<100).map { _ in UUID() }
    func all(_ op: String, _ more: (Int) -> JSONObject) -> [JSONObject] {
      ids.enumerated().map { device.change(Self.entry, $1, op, more($0)) }
    }
    let creations = all("create") { ["fields": .object(api.shop.fields(["description": .string("\($0)")]))] }
    #expect(try await trips(process, device, creations) == 2, "\(process.last)")
    let patches = all("patch") { ["fields": ["priority": .integer($0 % 3 + 1)], "base_version": 1] }
    // The rule of entries compares machine and category of the edited entry.
    #expect(try await trips(process, device, patches) == 3, "\(process.last)")
    let transitions = all("transition") { _ in ["transition": "start"] }
    #expect(try await trips(process, device, transitions) == 2, "\(process.last)")
    let list = try await api.get("/v1/maintenance/entry?limit=200", as: device.caller).items
    #expect(list.count == 100)
    #expect(Set(list.compactMap { $0["number"]?.string }).count == 100)
    for (number, id) in ids.enumerated() {
      let record = list.first { $0["id"]?.string == id.text }
      #expect(record?["description"] == .string("\(number)"))
      #expect(record?["priority"] == .integer(number % 3 + 1))
      #expect(record?["status"] == "in_progress")
      #expect(record?["version"] == 3)
      #expect(try await api.shop.count("history", of: id) == 3)
    }
    #expect(try await Integrity(shop: api.shop).faults() == [])
  }

  @Test func `a single change takes as many round trips as a hundred`() async throws {
    let (process, api) = try await Self.open()
    var device = try await TestDevice.register(api, of: "admin")
    let id = UUID()
    let create = device.change(Self.entry, id, "create", ["fields": .object(api.shop.fields())])
    #expect(try await trips(process, device, [create]) == 2, "\(process.last)")
    let patch = device.change(Self.entry, id, "patch", ["fields": ["priority": 1], "base_version": 1])
    #expect(try await trips(process, device, [patch]) == 3, "\(process.last)")
    _ = try await process.during {
      let again = try await device.push([patch])
      #expect(again.results[0]["replayed"] == true)
    }
    #expect(process.last.split(separator: "\n").count == 2, "\(process.last)")
  }

  @Test func `each further wave takes two round trips`() async throws {
    let (process, api) = try await Self.open()
    var device = try await TestDevice.register(api, of: "admin")
    var changes: [JSONObject] = []
    for _ in 0..<50 {
      let id = UUID()
      changes.append(device.change(Self.entry, id, "create", ["fields": .object(api.shop.fields())]))
      changes.append(
        device.change(Self.entry, id, "patch", ["fields": ["priority": 1], "base_version": 1])
      )
    }
    // Ask, write; ask, ask the rule, write.
    #expect(try await trips(process, device, changes) == 5, "\(process.last)")
  }

  @Test func `a rule that asks about edited records takes one more round trip`() async throws {
    let (process, api) = try await Self.open()
    var device = try await TestDevice.register(api, of: "user", app: "macros")
    let ids = (0..<100).map { _ in UUID() }
    let creations = ids.map { id in
      device.change("macros.entry", id, "create", ["fields": ["protein_g": "10.04", "carbs_g": 1]])
    }
    #expect(try await trips(process, device, creations) == 2, "\(process.last)")
    let patches = ids.map { id in
      device.change("macros.entry", id, "patch", ["fields": ["carbs_g": "2.26"], "base_version": 1])
    }
    #expect(try await trips(process, device, patches) == 3, "\(process.last)")
    let list = try await api.get("/v1/macros/entry?limit=200", as: device.caller).items
    #expect(list.count == 100)
    #expect(
      list.allSatisfy { $0["carbs_g"]?.number?.text == "2.3" && $0["protein_g"]?.number?.text == "10.0" }
    )
    // Private records are private in the ledger and in the feed.
    let others = try await api.shop.engine.superuser.value(
      """
      select count(*) from core.sync_item i
      where i.company_id = \(api.shop.company.id) and i.owner_id is distinct from \(nullable: device.caller.user)
      """,
      as: Int.self
    )
    #expect(others == 0)
    let scopes = try await api.shop.engine.superuser.rows(
      "select distinct f.scope from core.feed f where f.company_id = \(api.shop.company.id) and f.record_type = 'macros.entry'",
      String.self
    )
    #expect(scopes.count == 1 && scopes.allSatisfy { $0.contains("/") })
  }
}
