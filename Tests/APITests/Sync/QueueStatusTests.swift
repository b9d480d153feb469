import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Testing

/// What the server shows of the queue on a device.
@Suite(.timeLimit(.minutes(30))) struct QueueStatusTests {
  private static let entry = "maintenance.entry"

  @Test func `judged changes do not count as waiting, those that stayed on the device do`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    let oldest: JSONValue = "2026-11-20T08:00:00Z"
    let changes = (0..<6).map { _ in
      device.change(Self.entry, UUID(), "create", ["fields": .object(api.shop.fields())])
    }
    // The device has seven changes, and sends six.
    let answer = try await device.push(changes, ["queue": ["pending": 1, "failed": 0, "oldest": oldest]])
    #expect(answer.kinds == Array(repeating: "applied", count: 6), "\(answer.text)")
    var queue = try await Self.queue(device)
    #expect(queue["pending"] == 1)
    #expect(queue["oldest"] != .null)
    let last = device.change(Self.entry, UUID(), "create", ["fields": .object(api.shop.fields())])
    _ = try await device.push([last], ["queue": ["pending": 0, "failed": 0, "oldest": oldest]])
    queue = try await Self.queue(device)
    #expect(queue["pending"] == 0)
    #expect(queue["oldest"] == .null)
  }

  @Test func `a long chain of changes of one record is judged in several transactions and counted once`()
    async throws
  {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    let id = UUID()
    var changes = [device.change(Self.entry, id, "create", ["fields": .object(api.shop.fields())])]
    for number in 1...11 {
      changes.append(
        device.change(
          Self.entry,
          id,
          "patch",
          ["fields": ["description": .string("word \(number)")], "base_version": .integer(number)]
        )
      )
    }
    let answer = try await device.push(changes, ["queue": ["pending": 8, "failed": 0]])
    #expect(answer.kinds == Array(repeating: "applied", count: 12), "\(answer.text)")
    #expect(try await Self.queue(device)["pending"] == 8)
  }

  private static func queue(_ device: TestDevice) async throws -> JSONObject {
    let status = try await device.api.get("/v1/sync/status", as: device.caller).json
    return status["devices"]?.array?.first?.object?["queue"]?.object ?? [:]
  }
}
