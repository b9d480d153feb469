import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// What the server shows of the queue on a device.
@Suite(.timeLimit(.minutes(60))) struct QueueStatusTests {
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

  private static func item(_ no: Int, _ status: String = "pending") -> JSONValue {
    [
      "no": .integer(no), "status": .string(status), "attempts": 1, "type": .string(entry),
      "id": .string(UUID().text), "op": "create",
    ]
  }

  @Test func `a number that was described for one record may be sent for another`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    for _ in 0..<2 { _ = try await device.push([], ["queue": ["items": [Self.item(1), Self.item(2)]]]) }
    let change = device.change(
      Self.entry,
      UUID(),
      "patch",
      ["fields": ["description": "x"], "base_version": 1]
    )
    #expect(try await device.push([change]).kinds == ["rejected"])
    let items = try await api.get("/v1/sync/status", as: device.caller).json["items"]?.array ?? []
    let shown = items.compactMap(\.object)
    #expect(shown.map { $0["id"] } == [change["id"]])
    #expect(shown.map { $0["op"] } == ["patch"])
    // The next change of that record waits for the decision.
    _ = device.change(Self.entry, UUID(), "patch")
    var next = device.change(
      Self.entry,
      UUID(),
      "patch",
      ["fields": ["description": "y"], "base_version": 1]
    )
    next["id"] = change["id"]
    #expect(try await device.push([next]).kinds == ["blocked"])
  }

  private static func described(_ device: TestDevice) async throws -> Int {
    try await device.api.shop.engine.superuser.value(
      "select count(*)::int from core.sync_item i where i.device_id = \(device.id) and i.result is null",
      as: Int.self
    )
  }

  @Test func `a number that is described twice costs nothing: the changes beside it are applied`()
    async throws
  {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    let change = device.change(Self.entry, UUID(), "create", ["fields": .object(api.shop.fields())])
    let items: [JSONValue] = [
      Self.item(7), Self.item(7, "failed"), Self.item(1), Self.item(8), Self.item(7),
    ]
    let answer = try await device.push([change], ["queue": ["pending": 3, "items": .array(items)]])
    #expect(answer.status == 200 && answer.kinds == ["applied"], "\(answer.text)")
    #expect(try await Self.described(device) == 2)
  }

  @Test func `a device describes at most a thousand waiting changes, and may still change what it said`()
    async throws
  {
    let api = try await TestDevice.api()
    let device = try await TestDevice.register(api, of: "user")
    for start in stride(from: 1, through: 1_201, by: 100) {
      let items = (start..<(start + 100)).map { Self.item($0) }
      let answer = try await device.push([], ["queue": ["pending": 1_300, "items": .array(items)]])
      #expect(answer.status == 200, "\(answer.text)")
    }
    #expect(try await Self.described(device) == 1_000)
    #expect(try await Self.queue(device)["pending"] == 1_300)
    let answer = try await device.push([], ["queue": ["items": [Self.item(5, "failed"), Self.item(9_999)]]])
    #expect(answer.status == 200)
    #expect(try await Self.described(device) == 1_000)
    let failed = try await api.shop.engine.superuser.rows(
      "select i.no from core.sync_item i where i.device_id = \(device.id) and i.status = 'failed'",
      Int64.self
    )
    #expect(failed == [5])
  }

  @Test
  func `a device with a thousand undecided changes keeps further refused ones, and goes on with others`()
    async throws
  {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    for _ in 0..<2 {
      let bad = (0..<500).map { _ in device.change(Self.entry, UUID(), "patch", ["fields": [:]]) }
      #expect(try await device.push(bad).kinds == Array(repeating: "rejected", count: 500))
    }
    let bad = device.change(Self.entry, UUID(), "patch", ["fields": [:]])
    let good = device.change(Self.entry, UUID(), "create", ["fields": .object(api.shop.fields())])
    let answer = try await device.push([bad, good])
    #expect(answer.kinds == ["retry", "applied"], "\(answer.text)")
    #expect(answer.results.first?["code"] == "quota_exceeded")
    let path = "/v1/sync/items/\(device.id.text)/1/resolve"
    #expect(try await api.post(path, ["take": "discard"], as: device.caller).status == 200)
    #expect(try await device.push([bad, good]).kinds == ["rejected", "applied"])
  }

  @Test func `a device that confirms no answers is stopped, and goes on when it confirms`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    try await api.shop.engine.superuser.execute(
      """
      insert into core.sync_item (company_id, device_id, no, status, record_type, record_id, op, request_hash, result)
      select \(api.shop.company.id), \(device.id), n, 'synced', 'maintenance.entry', gen_random_uuid(), 'patch',
        sha256(n::text::bytea), 'applied'
      from generate_series(1000001, 1010000) n
      """
    )
    try await api.shop.engine.superuser.execute(
      "update core.device set max_no = 1010000 where id = \(device.id)"
    )
    var late = device.change(Self.entry, UUID(), "create", ["fields": .object(api.shop.fields())])
    late["no"] = 2_000_000
    #expect(try await device.push([late]).code == .quotaExceeded)
    #expect(try await device.push([], ["confirmed_no": 1_999_999]).status == 200)
    #expect(try await device.push([late]).kinds == ["applied"])
  }

  private static func queue(_ device: TestDevice) async throws -> JSONObject {
    let status = try await device.api.get("/v1/sync/status", as: device.caller).json
    return status["devices"]?.array?.first?.object?["queue"]?.object ?? [:]
  }
}
