import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Testing

/// The numbers of the protocol have bounds: what exceeds them is refused by its name, and the process goes on.
@Suite(.timeLimit(.minutes(60)), .app("maintenance")) struct SyncBoundsTests {
  @Test(arguments: ["2147483648", "9223372036854775807", "1e18", "1000001", "0", "-1", "1.5", "1e300"])
  func `a version of the record types that no column holds is refused`(_ version: String) async throws {
    let device = try await TestDevice.register(TestDevice.api(), of: "user")
    let number = JSONValue.number(try ExactDecimal(parsing: version))
    let answer = try await device.push([], ["schema_version": number])
    #expect(answer.status == 422 && answer.code == .invalidNumber, "\(answer.text)")
    #expect(answer.json["fields"] == ["schema_version"])
    #expect(try await device.push([]).status == 200)
  }

  @Test(arguments: ["9007199254740992", "9223372036854775807", "-1", "0.5"])
  func `a number that not every reader of JSON holds is refused wherever it is`(_ text: String) async throws {
    var device = try await TestDevice.register(TestDevice.api(), of: "user")
    let number = JSONValue.number(try ExactDecimal(parsing: text))
    let item: JSONObject = [
      "no": number, "status": "pending", "type": "maintenance.entry", "id": .id(UUID()), "op": "create",
    ]
    var change = device.change("maintenance.entry", UUID(), "patch", ["fields": [:], "base_version": number])
    for body: JSONObject in [
      ["confirmed_no": number], ["queue": ["pending": number]], ["queue": ["failed": number]],
      ["queue": ["items": [.object(item)]]], ["mutations": [.object(change)]],
    ] {
      let answer = try await device.push([], body)
      #expect(answer.status == 422 && answer.code == .invalidNumber, "\(answer.text)")
    }
    change["no"] = number
    change["base_version"] = 1
    #expect(try await device.push([change]).code == .invalidNumber)
    let known: JSONObject = ["device_id": .id(device.id), "nos": [number]]
    #expect(try await device.api.post("/v1/sync/known", known, as: device.caller).code == .invalidNumber)
  }

  @Test func `the largest numbers of a device are kept`() async throws {
    let device = try await TestDevice.register(TestDevice.api(), of: "user")
    let largest: JSONValue = 9_007_199_254_740_991
    let body: JSONObject = [
      "schema_version": 1_000_000, "queue": ["pending": largest, "failed": largest],
    ]
    #expect(try await device.push([], body).status == 200)
  }
}
