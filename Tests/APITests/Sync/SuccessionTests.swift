import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Successive changes of one device, made offline: none knows the version of the one before.
@Suite(.timeLimit(.minutes(60))) struct SuccessionTests {
  private static let entry = "maintenance.entry"

  private static func patch(
    _ device: inout TestDevice,
    _ record: UUID,
    _ word: String,
    base: Int
  ) -> JSONObject {
    device.change(
      entry,
      record,
      "patch",
      ["fields": ["description": .string(word)], "base_version": .integer(base)]
    )
  }

  private static func made(_ device: inout TestDevice) async throws -> UUID {
    let id = UUID()
    let fields = device.api.shop.fields(["description": "first"])
    let create = device.change(entry, id, "create", ["fields": .object(fields)])
    #expect(try await device.push([create]).kinds == ["applied"])
    return id
  }

  private static func description(_ device: TestDevice, _ id: UUID) async throws -> JSONValue? {
    try await device.api.get("/v1/maintenance/entry/\(id.text)", as: device.caller).json["description"]
  }

  /// Changes a field as somebody else.
  private static func theirs(_ api: APIFixture, _ id: UUID, _ fields: JSONObject) async throws {
    let path = "/v1/maintenance/entry/\(id.text)"
    let answer = try await api.patch(path, fields, as: api.member("admin"))
    #expect(answer.status == 200, "\(answer.text)")
  }

  @Test(arguments: [true, false])
  func `changes of one field with the version that the device knew follow each other`(together: Bool)
    async throws
  {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    let id = try await Self.made(&device)
    let changes = [
      Self.patch(&device, id, "second", base: 1), Self.patch(&device, id, "third", base: 1),
      Self.patch(&device, id, "fourth", base: 1),
    ]
    if together {
      let answer = try await device.push(changes)
      #expect(answer.kinds == ["applied", "applied", "applied"], "\(answer.text)")
    } else {
      for change in changes { #expect(try await device.push([change]).kinds == ["applied"]) }
    }
    #expect(try await Self.description(device, id) == "fourth")
    #expect(try await api.shop.count("history", of: id) == 4)
  }

  @Test func `it stays so when the server has forgotten the answers, and after a transition and a file`()
    async throws
  {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "admin")
    let id = try await Self.made(&device)
    let file: JSONObject = ["id": .string(UUID().text), "kind": "photo", "name": "a.jpg", "size": 10]
    let first = try await device.push([
      Self.patch(&device, id, "second", base: 1),
      device.change(Self.entry, id, "transition", ["transition": "start"]),
      device.change(Self.entry, id, "attach", ["file": .object(file)]),
    ])
    #expect(first.kinds == ["applied", "applied", "applied"], "\(first.text)")
    _ = try await device.push([], ["confirmed_no": 4])
    try await api.shop.engine.superuser.execute("delete from core.sync_item where device_id = \(device.id)")
    let answer = try await device.push([Self.patch(&device, id, "third", base: 1)], ["confirmed_no": 4])
    #expect(answer.kinds == ["applied"], "\(answer.text)")
    #expect(try await Self.description(device, id) == "third")
  }

  @Test func `what somebody else changed before or between the own changes is a conflict`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    let before = try await Self.made(&device)
    try await Self.theirs(api, before, ["description": "theirs"])
    let one = try await device.push([
      Self.patch(&device, before, "mine", base: 1), Self.patch(&device, before, "mine too", base: 1),
    ])
    #expect(one.kinds == ["conflict", "blocked"], "\(one.text)")
    let between = try await Self.made(&device)
    #expect(try await device.push([Self.patch(&device, between, "mine", base: 1)]).kinds == ["applied"])
    try await Self.theirs(api, between, ["description": "theirs"])
    let two = try await device.push([Self.patch(&device, between, "mine too", base: 1)])
    #expect(two.kinds == ["conflict"], "\(two.text)")
    #expect(try await Self.description(device, between) == "theirs")
  }

  @Test func `another field of somebody else is merged, and another device of the member is somebody else`()
    async throws
  {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    var second = try await TestDevice.register(api, of: "user")
    let id = try await Self.made(&device)
    #expect(try await device.push([Self.patch(&device, id, "mine", base: 1)]).kinds == ["applied"])
    try await Self.theirs(api, id, ["external_ref": "theirs"])
    #expect(try await device.push([Self.patch(&device, id, "mine too", base: 1)]).kinds == ["merged"])
    let other = try await second.push([Self.patch(&second, id, "other phone", base: 1)])
    #expect(other.kinds == ["conflict"], "\(other.text)")
  }

  @Test func `a type whose policy refuses every concurrent change admits the device's own succession`()
    async throws
  {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "admin")
    let (type, id) = ("maintenance.pm_plan", UUID())
    let fields: JSONObject = [
      "machine_id": .string(api.shop.machine.text), "category_id": .string(api.shop.category.text),
      "title": "Grease", "every_days": 30, "anchor": "completion",
    ]
    let answer = try await device.push([device.change(type, id, "create", ["fields": .object(fields)])])
    #expect(answer.kinds == ["applied"], "\(answer.text)")
    let patches = ["Oil", "Filter"].map { title in
      device.change(type, id, "patch", ["fields": ["title": .string(title)], "base_version": 1])
    }
    let next = try await device.push(patches)
    #expect(next.kinds == ["applied", "applied"], "\(next.text)")
    let theirs = try await api.patch(
      "/v1/maintenance/pm_plan/\(id.text)",
      ["lead_days": 3],
      as: api.member("admin")
    )
    #expect(theirs.status == 200, "\(theirs.text)")
    let last = device.change(type, id, "patch", ["fields": ["title": "Belt"], "base_version": 1])
    #expect(try await device.push([last]).kinds == ["conflict"])
  }
}
