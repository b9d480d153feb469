import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Testing

/// Devices send changes: each is judged once, and none affects another.
@Suite(.timeLimit(.minutes(60))) struct PushRouteTests {
  private static let entry = "maintenance.entry"

  @Test func `changes of several records and kinds are applied in order`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    let id = UUID()
    let answer = try await device.push([
      device.change(Self.entry, id, "create", ["fields": .object(api.shop.fields(["description": "hose"]))]),
      device.change(Self.entry, id, "patch", ["fields": ["description": "hose leaks"], "base_version": 1]),
      device.change(Self.entry, id, "transition", ["transition": "start"]),
    ])
    #expect(answer.status == 200, "\(answer.text)")
    #expect(answer.kinds == ["applied", "applied", "applied"])
    #expect(answer.results.compactMap { $0["version"]?.number?.integer } == [1, 2, 3])
    let record = try await api.get("/v1/maintenance/entry/\(id.text)", as: device.caller).json
    #expect(record["description"] == "hose leaks")
    #expect(record["status"] == "in_progress")
  }

  @Test func `a repeated push gets the first answers, and another change under a number is refused`()
    async throws
  {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    let id = UUID()
    let create = device.change(Self.entry, id, "create", ["fields": .object(api.shop.fields())])
    let first = try await device.push([create])
    let again = try await device.push([create])
    #expect(again.kinds == first.kinds)
    #expect(again.results.first?["version"] == first.results.first?["version"])
    #expect(again.results.first?["replayed"] == true)
    #expect(try await api.shop.count("history", of: id) == 1)
    var other = create
    other["fields"] = .object(api.shop.fields(["description": "something else"]))
    let cloned = try await device.push([other])
    #expect(cloned.status == 409)
    #expect(cloned.code == .deviceCloned)
  }

  @Test func `eight copies of a push at once have the effect of one`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    let ids = (0..<5).map { _ in UUID() }
    var changes: [JSONObject] = []
    for id in ids {
      changes.append(device.change(Self.entry, id, "create", ["fields": .object(api.shop.fields())]))
    }
    let (sent, copies) = (device, changes)
    let answers = try await withThrowingTaskGroup { group in
      for _ in 0..<8 { group.addTask { try await sent.push(copies) } }
      return try await group.reduce(into: [TestAnswer]()) { $0.append($1) }
    }
    #expect(answers.allSatisfy { $0.kinds == Array(repeating: "applied", count: 5) })
    for id in ids { #expect(try await api.shop.count("history", of: id) == 1) }
  }

  @Test func `one bad change of a hundred does not affect the others`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    var changes: [JSONObject] = []
    for number in 0..<100 {
      let fields = api.shop.fields(number == 41 ? ["priority": 99] : ["priority": 1])
      changes.append(device.change(Self.entry, UUID(), "create", ["fields": .object(fields)]))
    }
    let answer = try await device.push(changes)
    #expect(answer.kinds.count { $0 == "applied" } == 99)
    #expect(answer.kinds[41] == "rejected")
    #expect(answer.results[41]["code"] == "invalid_input")
  }

  @Test func `another field of the same record is merged, the same field is a conflict`() async throws {
    let api = try await TestDevice.api()
    var one = try await TestDevice.register(api, of: "admin")
    var two = try await TestDevice.register(api, of: "admin")
    let id = try await api.shop.entry("admin")
    func patch(_ device: inout TestDevice, _ fields: JSONObject) -> JSONObject {
      device.change(Self.entry, id, "patch", ["fields": .object(fields), "base_version": 1])
    }
    #expect(try await one.push([patch(&one, ["description": "from one"])]).kinds == ["applied"])
    let merged = try await two.push([patch(&two, ["priority": 1])])
    #expect(merged.kinds == ["merged"], "\(merged.text)")
    let conflict = try await two.push([patch(&two, ["description": "from two"])])
    #expect(conflict.kinds == ["conflict"])
    let result = try #require(conflict.results.first)
    #expect(result["code"] == "stale")
    #expect(result["fields"] == ["description"])
    #expect(result["server"]?.object?["description"] == "from one")
    #expect(result["version"] == 3)
    // The next change of the record waits for a decision about this one.
    let blocked = try await two.push([patch(&two, ["completion_note": "x"])])
    #expect(blocked.kinds == ["blocked"])
    #expect(blocked.results.first?["blocked_by"] == 2)
  }

  @Test func `a deletion wins, and a change of an unknown record creates none`() async throws {
    let api = try await TestDevice.api()
    var one = try await TestDevice.register(api, of: "admin")
    var two = try await TestDevice.register(api, of: "admin")
    let id = try await api.shop.entry("admin")
    #expect(try await one.push([one.change(Self.entry, id, "delete")]).kinds == ["applied"])
    #expect(try await two.push([two.change(Self.entry, id, "delete")]).kinds == ["applied"])
    let late = two.change(Self.entry, id, "patch", ["fields": ["priority": 1], "base_version": 1])
    let answer = try await two.push([late])
    #expect(answer.kinds == ["conflict"])
    #expect(answer.results.first?["code"] == "record_deleted")
    let unknown = two.change(Self.entry, UUID(), "patch", ["fields": ["priority": 1], "base_version": 1])
    #expect(try await two.push([unknown]).results.first?["code"] == "not_found")
  }

  @Test func `the rights of the member decide, and a refused change stays visible`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "viewer")
    let answer = try await device.push([
      device.change(Self.entry, UUID(), "create", ["fields": .object(api.shop.fields())])
    ])
    #expect(answer.kinds == ["rejected"])
    #expect(answer.results.first?["code"] == "forbidden")
    let status = try await api.get("/v1/sync/status", as: device.caller)
    let items = status.json["items"]?.array?.compactMap(\.object) ?? []
    #expect(items.map { $0["status"] } == ["failed"])
  }

  @Test func `a device is its member's own`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    let change = device.change(Self.entry, UUID(), "create", ["fields": .object(api.shop.fields())])
    let stolen = TestDevice(api: api, caller: try api.member("admin"), id: device.id)
    #expect(try await stolen.push([change]).code == .notFound)
    #expect(try await stolen.page().code == .notFound)
    #expect(try await api.delete("/v1/sync/devices/\(device.id.text)", as: device.caller).status == 204)
    #expect(try await device.push([change]).code == .deviceRevoked)
    #expect(try await device.page().code == .deviceRevoked)
  }

  @Test func `more than 500 changes are too many, and numbers have to ascend`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    var changes: [JSONObject] = []
    for _ in 0...500 { changes.append(device.change(Self.entry, UUID(), "delete")) }
    #expect(try await device.push(changes).status == 413)
    #expect(try await device.push([changes[1], changes[0]]).code == .invalidInput)
  }

  @Test func `a conflict is decided by a person`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "admin")
    for (take, expected) in [("server", "theirs"), ("mine", "ours"), ("merge", "theirs")] {
      let id = try await api.shop.entry("admin")
      _ = try await api.patch(
        "/v1/maintenance/entry/\(id.text)",
        ["description": "theirs"],
        as: device.caller
      )
      let change = device.change(
        Self.entry,
        id,
        "patch",
        ["fields": ["description": "ours", "priority": 1], "base_version": 1]
      )
      let answer = try await device.push([change])
      #expect(answer.kinds == ["conflict"])
      let no = try #require(change["no"]?.number?.integer)
      let path = "/v1/sync/items/\(device.id.text)/\(no)/resolve"
      let resolved = try await api.post(path, ["take": .string(take)], as: device.caller)
      #expect(resolved.status == 200, "\(resolved.text)")
      let record = try await api.get("/v1/maintenance/entry/\(id.text)", as: device.caller).json
      #expect(record["description"] == .string(expected), "\(take)")
      #expect((record["priority"] == 1) == (take != "server"), "\(take)")
      #expect(try await api.post(path, ["take": "server"], as: device.caller).code == .wrongState)
    }
  }

  @Test func `a failed change is sent again when a person asks for it`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    let id = UUID()
    let change = device.change(
      Self.entry,
      id,
      "create",
      ["fields": .object(api.shop.fields(["category_id": .string(UUID().uuidString.lowercased())]))]
    )
    #expect(try await device.push([change]).kinds == ["rejected"])
    #expect(try await api.post("/v1/sync/items/\(device.id.text)/1/retry", as: device.caller).status == 204)
    #expect(try await device.page().json["retry"] == [1])
    let again = try await device.push([change])
    #expect(again.kinds == ["rejected"])
    #expect(again.results.first?["replayed"] == nil)
    #expect(try await device.push([change]).results.first?["replayed"] == true)
  }
}
