import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Store
import Testing

/// Fields of a transition that refer to records and members take what paths take, by every way in.
@Suite(.timeLimit(.minutes(60)), .app("maintenance")) struct TransitionReferenceTests {
  private static let type = "maintenance.entry"

  /// A workshop where `start` asks for the machine and for the person.
  private static func open() async throws -> APIFixture {
    let api = try await TestDevice.api()
    let overlay = try YAMLDocument.decode(
      WorkflowOverlay.self,
      """
      overlay: maintenance.entry@2
      tighten: { transitions: { start: { require: { fields: [machine_id, assigned_to] } } } }
      """,
      document: "overlay.yaml"
    )
    try await Workflows(api.shop.engine.operators, api.shop.records)
      .setOverlay(api.shop.operatorContext, overlay)
    return api
  }

  /// Sends the transition of an entry.
  private func start(_ entry: UUID, _ fields: JSONObject, by way: String, _ api: APIFixture) async throws
    -> TestAnswer
  {
    let admin = try api.member("admin")
    switch way {
    case "request":
      return try await api.post("\(RecordRouteTests.entries)/\(entry.text)/do/start", fields, as: admin)
    case "filter":
      return try await api.post("\(RecordRouteTests.entries)/do/start?id=\(entry.text)", fields, as: admin)
    case "batch":
      let operation: JSONObject = [
        "op": "transition", "type": .string(Self.type), "id": .id(entry), "transition": "start",
        "fields": .object(fields),
      ]
      return try await api.post("/v1/batch", ["operations": [.object(operation)]], as: admin)
    default:
      var device = try await TestDevice.register(api, as: admin, app: "maintenance")
      let change: JSONObject = ["transition": "start", "fields": .object(fields)]
      return try await device.push([device.change(Self.type, entry, "transition", change)])
    }
  }

  @Test(arguments: ["request", "filter", "batch", "push"]) func `names, keys and the beginnings of ids`(
    way: String
  ) async throws {
    let api = try await Self.open()
    let shop = api.shop
    let machine = try await shop.records.create(
      shop.operatorContext,
      type: "maintenance.machine",
      fields: ["code": "RM-002", "name": "Second"]
    ).id
    let user = try #require(shop.members["user"])
    let names: [(machine: String, person: String)] = [
      ("RM-002", user.email), ("rm-002", String(user.email.prefix { $0 != "@" })),
      (String(machine.text.prefix(14)), user.userID.text), (machine.text, user.email),
    ]
    for (named, person) in names {
      let entry = try await shop.entry("admin")
      let fields: JSONObject = ["machine_id": .string(named), "assigned_to": .string(person)]
      let answer = try await start(entry, fields, by: way, api)
      #expect(answer.status == 200, "\(named), \(person): \(answer.text)")
      let record = try await shop.records.show(shop.operatorContext, type: Self.type, id: entry)
      #expect(record["status"] == "in_progress", "\(named), \(person): \(answer.text)")
      #expect(record["machine_id"] == .id(machine), "\(named)")
      #expect(record["assigned_to"] == .id(user.userID), "\(person)")
    }
    let entry = try await shop.entry("admin")
    let unknown = try await start(entry, ["machine_id": "RM-9", "assigned_to": "nobody"], by: way, api)
    #expect(unknown.text.contains("invalid_id"), "\(unknown.text)")
    let record = try await shop.records.show(shop.operatorContext, type: Self.type, id: entry)
    #expect(record["status"] == "pending")
  }

  @Test func `a device names records in new records and changes, too`() async throws {
    let api = try await Self.open()
    var device = try await TestDevice.register(api, of: "admin")
    let id = UUID()
    let create = device.change(
      Self.type,
      id,
      "create",
      ["fields": ["machine_id": "RM-001", "category_id": "Engine", "description": "leaks"]]
    )
    let assigned: JSONObject = ["fields": ["assigned_to": "user"], "base_version": 1]
    let patch = device.change(Self.type, id, "patch", assigned)
    let first = try await device.push([create, patch])
    #expect(first.kinds == ["applied", "applied"], "\(first.text)")
    let again = try await device.push([create, patch])
    #expect(again.results.allSatisfy { $0["replayed"] == true }, "\(again.text)")
    let record = try await api.shop.records.show(api.shop.operatorContext, type: Self.type, id: id)
    #expect(record["machine_id"] == .id(api.shop.machine))
    #expect(record["assigned_to"] == .id(try #require(api.shop.members["user"]).userID))
  }
}
