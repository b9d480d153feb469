import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Testing

/// Changes that were refused for a reason which is gone: they are judged again, or taken as they are.
@Suite(.timeLimit(.minutes(60))) struct WaitingChangeTests {
  private static let machine = "maintenance.machine"
  private static let entry = "maintenance.entry"

  private static func items(_ device: TestDevice) -> String { "/v1/sync/items/\(device.id.text)" }

  /// Creates a machine with a code that another one has, and gives the other one another code.
  private static func refused(_ device: inout TestDevice, _ id: UUID) async throws -> JSONObject {
    let api = device.api
    let change = device.change(machine, id, "create", ["fields": ["code": "RM-001", "name": "Mower"]])
    let answer = try await device.push([change])
    #expect(answer.kinds == ["conflict"], "\(answer.text)")
    let renamed = try await api.patch(
      "/v1/maintenance/machine/\(api.shop.machine.text)",
      ["code": "RM-900"],
      as: api.member("admin")
    )
    #expect(renamed.status == 200, "\(renamed.text)")
    return change
  }

  @Test(arguments: ["mine", "merge"])
  func `the decision about a creation makes the record that does not exist`(take: String) async throws {
    let api = try await TestDevice.api()
    try await Quotas(api.shop.engine.operators, api.shop.records)
      .set(api.shop.operatorContext, [(Self.machine, 1)])
    var device = try await TestDevice.register(api, of: "admin")
    let id = UUID()
    let change = device.change(Self.machine, id, "create", ["fields": ["code": "RM-002", "name": "Mower"]])
    #expect(try await device.push([change]).results.first?["code"] == "quota_exceeded")
    let path = "\(Self.items(device))/1/resolve"
    #expect(try await api.post(path, ["take": .string(take)], as: device.caller).code == .quotaExceeded)
    try await Quotas(api.shop.engine.operators, api.shop.records)
      .set(api.shop.operatorContext, [(Self.machine, nil)])
    let made = try await api.post(path, ["take": .string(take)], as: device.caller)
    #expect(made.status == 200 && made.json["version"] == 1, "\(made.text)")
    let shown = try await api.get("/v1/maintenance/machine/\(id.text)", as: device.caller)
    #expect(shown.json["code"] == "RM-002", "\(shown.text)")
  }

  @Test func `a conflict is judged again when a person asks for it`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "admin")
    let id = UUID()
    let change = try await Self.refused(&device, id)
    #expect(try await device.push([change]).kinds == ["conflict"], "the stored answer")
    #expect(try await api.post("\(Self.items(device))/1/retry", as: device.caller).status == 204)
    #expect(try await device.page().json["retry"] == [1])
    #expect(try await device.push([change]).kinds == ["applied"])
    let again = try await api.post("\(Self.items(device))/1/retry", as: device.caller)
    #expect(again.code == .wrongState && !again.text.contains("restart"), "\(again.text)")
  }

  @Test func `a later change of the same field follows the one that a person has taken`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    let id = try await api.shop.entry("user")
    let path = "/v1/maintenance/entry/\(id.text)"
    for fields: JSONObject in [["description": "theirs"], ["priority": 1]] {
      _ = try await api.patch(path, fields, as: api.member("admin"))
    }
    func patch(_ fields: JSONObject) -> JSONObject {
      device.change(Self.entry, id, "patch", ["fields": .object(fields), "base_version": 1])
    }
    let changes = [
      patch(["description": "second"]), patch(["description": "third"]), patch(["priority": 3]),
    ]
    #expect(try await device.push(changes).kinds == ["conflict", "blocked", "blocked"])
    let taken = try await api.post("\(Self.items(device))/1/resolve", ["take": "mine"], as: device.caller)
    #expect(taken.status == 200, "\(taken.text)")
    // What somebody else wrote into another field was not decided.
    let rest = try await device.push(Array(changes.dropFirst()))
    #expect(rest.kinds == ["merged", "conflict"], "\(rest.text)")
    #expect(rest.results.last?["fields"] == ["priority"])
    #expect(try await api.get(path, as: device.caller).json["description"] == "third")
  }
}
