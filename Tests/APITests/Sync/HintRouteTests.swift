import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Synchronization
import TestDatabase
import Testing

/// Devices wait for changes: by a pull that waits, and by a stream of hints.
@Suite(.timeLimit(.minutes(60))) struct HintRouteTests {
  /// A hub that hears of a company when the test says so.
  private static func tell(_ hub: HintHub, _ api: APIFixture) {
    let digits = String(hub.tag(of: api.shop.company.id), radix: 16)
    hub.notified(String(repeating: "0", count: 16 - digits.count) + digits)
  }

  private static func waiting(_ device: TestDevice, seconds: Int = 25) -> String {
    "/v1/sync/changes?device=\(device.id.text)&cursor=\(device.cursor ?? "")&wait=\(seconds)"
  }

  @Test func `a pull with news answers at once, and one without waits for a hint`() async throws {
    let hub = HintHub(key: [])
    let api = try await TestDevice.api(hub: hub)
    var device = try await TestDevice.register(api, of: "viewer")
    _ = try await device.pull()
    let first = try await api.shop.entry()
    let page = try await api.get(Self.waiting(device), as: device.caller)
    // The machine comes too, because it shows the number of its work orders.
    #expect(page.json["changes"]?.array?.first?.object?["id"]?.string == first.text)
    device.cursor = page.json["cursor"]?.string
    let sent = device
    let answer = Task { try await api.get(Self.waiting(sent), as: sent.caller) }
    try await until { hub.load.requests == 1 }
    // A hint without news for the device does not end the wait.
    Self.tell(hub, api)
    try await until { hub.load.requests == 1 }
    let second = try await api.shop.entry()
    try await until {
      Self.tell(hub, api)
      return hub.load.requests == 0
    }
    let news = try await answer.value
    #expect(news.json["changes"]?.array?.first?.object?["id"]?.string == second.text)
  }

  @Test func `no connection to the database is held while a pull waits`() async throws {
    let hub = HintHub(key: [])
    let api = try await TestDevice.api(hub: hub)
    var devices: [TestDevice] = []
    for _ in 0..<40 {
      var device = try await TestDevice.register(api, of: "viewer")
      _ = try await device.pull()
      devices.append(device)
    }
    // More than the pool has connections.
    let answers = devices.map { device in Task { try await api.get(Self.waiting(device), as: device.caller) }
    }
    try await until { hub.load.requests == 40 && api.services.database.load.used == 0 }
    hub.close()
    for answer in answers {
      let page = try await answer.value
      #expect(page.status == 200)
      #expect(page.json["changes"] == [])
    }
    let late = try await api.get(Self.waiting(devices[0]), as: devices[0].caller)
    #expect(late.code == .unavailable)
  }

  @Test func `a newer wait of a device ends its older one, and a wait has a maximum`() async throws {
    let hub = HintHub(key: [])
    let api = try await TestDevice.api(hub: hub)
    var device = try await TestDevice.register(api, of: "viewer")
    _ = try await device.pull()
    let sent = device
    let older = Task { try await api.get(Self.waiting(sent), as: sent.caller) }
    try await until { hub.load.requests == 1 }
    let newer = Task { try await api.get(Self.waiting(sent), as: sent.caller) }
    #expect(try await older.value.json["changes"] == [])
    try await until { hub.load.requests == 1 }
    hub.close()
    #expect(try await newer.value.status == 200)
    for text in ["26", "-1", "x", "1e1"] {
      let path = "/v1/sync/changes?device=\(device.id.text)&cursor=\(device.cursor ?? "")&wait=\(text)"
      #expect(try await api.get(path, as: device.caller).code == .invalidInput, "\(text)")
    }
  }

  @Test func `the wish to send a failed change again ends a wait`() async throws {
    let hub = HintHub(key: [])
    let api = try await TestDevice.api(hub: hub)
    var device = try await TestDevice.register(api, of: "user")
    let change = device.change("maintenance.entry", UUID(), "delete")
    #expect(try await device.push([change]).kinds == ["rejected"])
    _ = try await device.pull()
    let sent = device
    let answer = Task { try await api.get(Self.waiting(sent), as: sent.caller) }
    try await until { hub.load.requests == 1 }
    #expect(try await api.post("/v1/sync/items/\(device.id.text)/1/retry", as: device.caller).status == 204)
    try await until {
      Self.tell(hub, api)
      return hub.load.requests == 0
    }
    #expect(try await answer.value.json["retry"] == [1])
  }

  @Test func `a stream of hints holds no data, and ends when its hub does`() async throws {
    let hub = HintHub(key: [])
    let api = try await TestDevice.api(hub: hub)
    let answer = try await api.get("/v1/sync/events", as: api.member("viewer"))
    #expect(answer.status == 200)
    #expect(answer.headers["content-type"] == "text/event-stream")
    #expect(answer.headers["cache-control"] == "no-store")
    let events = try #require(answer.events)
    let received = Mutex<[String]>([])
    events.start { part in
      received.withLock { $0.append(part.map { String(decoding: $0, as: UTF8.self) } ?? "end") }
    }
    let hint = "event: hint\ndata: {}\n\n"
    #expect(received.withLock(\.self) == [hint])
    Self.tell(hub, api)
    #expect(received.withLock(\.self) == [hint, hint])
    hub.close()
    #expect(received.withLock(\.self) == [hint, hint, "end"])
    #expect(try await api.get("/v1/sync/events", as: api.member("viewer")).code == .unavailable)
    #expect(try await api.get("/v1/sync/events").status == 401)
    #expect(
      try await api.get("/v1/sync/events", as: api.token("viewer", scopes: ["maintenance.entry.read"])).code
        == .forbidden
    )
  }

  @Test func `a member has twenty streams, and one that is released counts no more`() async throws {
    let hub = HintHub(key: [])
    let api = try await TestDevice.api(hub: hub)
    let member = try api.member("viewer")
    var open: [TestAnswer] = []
    for _ in 0..<20 { open.append(try await api.get("/v1/sync/events", as: member)) }
    let refused = try await api.get("/v1/sync/events", as: member)
    #expect(refused.status == 429)
    #expect(refused.code == .rateLimited)
    #expect(refused.headers["retry-after"] == "30")
    #expect(try await api.get("/v1/sync/events", as: api.member("admin")).status == 200)
    open.removeLast()
    #expect(try await api.get("/v1/sync/events", as: member).status == 200)
    open.first?.events?.stop()
    #expect(try await api.get("/v1/sync/events", as: member).status == 200)
    #expect(hub.load.streams == 18)
  }
}
