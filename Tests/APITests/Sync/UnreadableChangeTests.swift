import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Testing

/// What a device sends wrongly costs it that change, and not the others.
@Suite(.timeLimit(.minutes(60))) struct UnreadableChangeTests {
  private static let entry = "maintenance.entry"

  @Test(arguments: [
    #""description":"a\u0000b""#, #""description":"\ud83d""#, #""description":"a","description":"b""#,
    #""priority":1e400"#, #""description":\#(String(repeating: "[", count: 70))"#,
  ])
  func `a change that is no JSON is named by its place`(_ fields: String) async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    let good = device.change(Self.entry, UUID(), "create", ["fields": .object(api.shop.fields())])
    let text = """
      {"device_id":"\(device.id.text)","mutations":[\(JSONValue.object(good).text),
      {"no":2,"type":"maintenance.entry","id":"\(UUID().text)","op":"create","fields":{\(fields)}}]}
      """
    for (path, body) in [("push", text), ("exchange", "{\"push\":\(text)}")] {
      let answer = try await api.send(
        .post,
        "/v1/sync/\(path)",
        .bytes(Array(body.utf8)),
        as: device.caller
      )
      #expect(answer.json["mutation"] == 1, "\(answer.text)")
    }
    #expect(try await device.push([good]).kinds == ["applied"])
  }

  @Test func `an empty file is judged, and a clock may have nanoseconds or no seconds`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    let id = UUID()
    let file: JSONObject = ["id": .id(UUID()), "kind": "photo", "name": "a.jpg", "size": 0]
    let answer = try await device.push([
      device.change(
        Self.entry,
        id,
        "create",
        ["fields": .object(api.shop.fields()), "client_time": "2026-01-05T12:00:00.123456789Z"]
      ),
      device.change(Self.entry, id, "attach", ["file": .object(file), "client_time": "2026-01-05T12:00Z"]),
    ])
    #expect(answer.kinds == ["applied", "rejected"], "\(answer.text)")
  }

  @Test func `a device confirms no more than it has sent`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    #expect(try await device.push([], ["confirmed_no": 1_000_000_000]).status == 200)
    let change = device.change(Self.entry, UUID(), "create", ["fields": .object(api.shop.fields())])
    let answer = try await device.push([change], ["confirmed_no": 1_000_000_000])
    #expect(answer.kinds == ["applied"], "\(answer.text)")
    let next = device.change(Self.entry, UUID(), "create", ["fields": .object(api.shop.fields())])
    #expect(try await device.push([next]).kinds == ["applied"])
  }
}
