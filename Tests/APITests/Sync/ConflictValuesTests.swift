import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// What the status shows of a conflict: the device's value, the record's, the one before, and who changed it.
@Suite(.timeLimit(.minutes(60))) struct ConflictValuesTests {
  private static let entry = "maintenance.entry"

  private static func items(_ device: TestDevice) async throws -> [JSONObject] {
    let status = try await device.api.get("/v1/sync/status", as: device.caller)
    #expect(status.status == 200, "\(status.text)")
    return status.json["items"]?.array?.compactMap(\.object) ?? []
  }

  private static func field(_ name: String, _ item: JSONObject) throws -> JSONObject {
    let fields = item["fields"]?.array?.compactMap(\.object) ?? []
    return try #require(fields.first { $0["name"]?.string == name }, "\(item)")
  }

  @Test func `each field of the change has the value before, the one now, and who changed it`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    let entry = try await api.shop.entry("user")
    let path = "/v1/maintenance/entry/\(entry.text)"
    let first = try await api.get(path, as: device.caller).json
    for text in ["second", "third"] {
      _ = try await api.patch(path, ["description": .string(text)], as: api.member("admin"))
    }
    let change = device.change(
      Self.entry,
      entry,
      "patch",
      ["fields": ["description": "mine", "priority": 1], "base_version": 1]
    )
    #expect(try await device.push([change]).kinds == ["conflict"])
    let item = try #require(try await Self.items(device).first)
    #expect(item["version"] == 3)
    #expect(item["record_status"] == "pending")
    let description = try Self.field("description", item)
    #expect(description["base"] == first["description"])
    #expect(description["server"] == "third")
    #expect(description["yours"] == "mine")
    #expect(description["in_conflict"] == true)
    #expect(description["by"] == "Member admin")
    #expect(description["by_id"]?.string == api.shop.members["admin"]?.userID.text)
    let at = try #require(description["at"]?.string)
    #expect(try Instant(parsing: at).microseconds > 0)
    // Nobody has changed the other field.
    let priority = try Self.field("priority", item)
    #expect(priority["base"] == first["priority"])
    #expect(priority["server"] == first["priority"])
    #expect(priority["yours"] == 1)
    #expect(priority["in_conflict"] == false)
    #expect(priority["by"] == nil)
  }

  @Test func `a base that the history cannot tell is left out, and a deleted record has no values`()
    async throws
  {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    let (erased, gone) = (try await api.shop.entry("user"), try await api.shop.entry("user"))
    for id in [erased, gone] {
      let path = "/v1/maintenance/entry/\(id.text)"
      _ = try await api.patch(path, ["description": "theirs"], as: api.member("admin"))
    }
    let changes = [erased, gone].map { id in
      device.change(Self.entry, id, "patch", ["fields": ["description": "mine"], "base_version": 1])
    }
    #expect(try await device.push(changes).kinds == ["conflict", "conflict"])
    try await api.shop.engine.superuser.execute(
      "update core.history set salt = '' where record_id = \(erased) and seq = 2"
    )
    let deleted = try await api.delete("/v1/maintenance/entry/\(gone.text)", as: api.member("admin"))
    #expect(deleted.status == 204 || deleted.status == 200, "\(deleted.text)")
    let items = try await Self.items(device)
    #expect(items.count == 2)
    let known = try #require(items.first { $0["id"]?.string == erased.text })
    let description = try Self.field("description", known)
    #expect(description["base"] == nil)
    #expect(description["server"] == "theirs")
    let lost = try #require(items.first { $0["id"]?.string == gone.text })
    #expect(lost["fields"] == nil && lost["version"] == nil)
  }

  @Test func `a transition and a creation in conflict show the record beside them`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "admin")
    let entry = try await api.shop.entry("admin")
    let path = "/v1/maintenance/entry/\(entry.text)"
    _ = try await api.post("\(path)/do/start", as: api.member("admin"))
    let again = device.change(Self.entry, entry, "transition", ["transition": "start"])
    var fields = api.shop.fields()
    fields["description"] = "another"
    let twin = device.change(
      Self.entry,
      try await api.shop.entry("admin"),
      "create",
      ["fields": .object(fields)]
    )
    #expect(try await device.push([again, twin]).kinds == ["conflict", "conflict"])
    let items = try await Self.items(device)
    #expect(items.count == 2)
    #expect(items[0]["record_status"] == "in_progress")
    #expect(items[0]["fields"] == [])
    let description = try Self.field("description", items[1])
    #expect(description["yours"] == "another")
    #expect(description["server"] != "another")
    #expect(description["base"] == nil)
  }

  @Test func `without the right to read the record, its values are not shown`() async throws {
    let api = try await TestDevice.api()
    let (operators, context) = (api.shop.engine.operators, api.shop.operatorContext)
    let user = try #require(api.shop.members["user"]).userID
    let permissions = ["maintenance.entry.read.own"]
    _ = try await Roles(operators).create(
      context,
      name: "driver",
      label: nil,
      from: nil,
      permissions: permissions
    )
    _ = try await Members(operators).setRole(context, user: user, role: "admin")
    var device = try await TestDevice.register(api, of: "user")
    let (own, other) = (try await api.shop.entry("user"), try await api.shop.entry("owner"))
    for id in [own, other] {
      let path = "/v1/maintenance/entry/\(id.text)"
      _ = try await api.patch(path, ["description": "theirs"], as: api.member("owner"))
    }
    let changes = [own, other].map { id in
      device.change(Self.entry, id, "patch", ["fields": ["description": "mine"], "base_version": 1])
    }
    #expect(try await device.push(changes).kinds == ["conflict", "conflict"])
    #expect(try await Self.items(device).allSatisfy { $0["fields"] != nil })
    _ = try await Members(operators).setRole(context, user: user, role: "driver")
    let items = try await Self.items(device)
    #expect(items.count == 2)
    #expect(items.first { $0["id"]?.string == own.text }?["fields"] != nil)
    let hidden = items.first { $0["id"]?.string == other.text }
    #expect(hidden?["fields"] == nil && hidden?["version"] == nil)
  }

  @Test func `many conflicts are read by two statements more than none`() async throws {
    let shop = try await Workshop.open()
    let trips = RoundTrips(shop.engine.database, as: "fettle_app")
    let api = try await TestDevice.api(shop, services: trips.services)
    var device = try await TestDevice.register(api, of: "user")
    func count() async throws -> Int {
      _ = try await Self.items(device)
      return try await trips.during { _ = try await Self.items(device) }
    }
    let none = try await count()
    for _ in 0..<5 {
      let entry = try await shop.entry("user")
      _ = try await api.patch(
        "/v1/maintenance/entry/\(entry.text)",
        ["description": "theirs"],
        as: api.member("admin")
      )
      let change = device.change(
        Self.entry,
        entry,
        "patch",
        ["fields": ["description": "mine"], "base_version": 1]
      )
      #expect(try await device.push([change]).kinds == ["conflict"])
    }
    #expect(try await count() == none + 1)
    #expect(try await Self.items(device).count == 5)
  }
}
