import API
import Domain
import Engine
import EngineFixtures
import FettleClient
import FoundationEssentials
import Postgres
import Secrets
import Store
import Testing

/// Devices that keep work that is done for some days only.
@Suite(.timeLimit(.minutes(60))) struct DoneWindowTests {
  private static let entry = "maintenance.entry"

  /// Opens the API with a time that the test moves.
  private static func open() async throws -> (APIFixture, Weeks) {
    let weeks = Weeks()
    return (try await TestDevice.api(time: { weeks.time($0) }), weeks)
  }

  private static func complete(_ api: APIFixture, _ id: UUID) async throws {
    for verb in ["start", "complete"] {
      let answer = try await api.post("/v1/maintenance/entry/\(id.text)/do/\(verb)", as: api.member("admin"))
      #expect(answer.status == 200, "\(answer.text)")
    }
  }

  private static func reopen(_ api: APIFixture, _ id: UUID) async throws {
    let answer = try await api.post(
      "/v1/maintenance/entry/\(id.text)/do/reopen",
      ["comment": "leaks again"],
      as: api.member("admin")
    )
    #expect(answer.status == 200, "\(answer.text)")
  }

  private static func log(_ api: APIFixture, _ entry: UUID) async throws -> UUID {
    let answer = try await api.post(
      "/v1/maintenance/time_entry",
      [
        "entry_id": .string(entry.text), "user_name": .string("Guest \(entry.text.suffix(6))"),
        "work_date": "2026-03-02",
        "start_time": "08:00", "end_time": "10:00",
      ],
      as: api.member("admin")
    )
    #expect(answer.status == 201, "\(answer.text)")
    return try #require(answer.json["id"]?.string.flatMap { UUID(text: $0) })
  }

  /// The ids of changes by operation.
  private static func ids(_ changes: [JSONObject], _ operation: String) -> Set<String> {
    Set(changes.filter { $0["op"]?.string == operation }.compactMap { $0["id"]?.string })
  }

  @Test func `work that ages leaves the device with its hours, and comes back when it is reopened`()
    async throws
  {
    let (api, weeks) = try await Self.open()
    let (done, open) = (try await api.shop.entry(), try await api.shop.entry())
    let hours = try await Self.log(api, done)
    try await Self.complete(api, done)
    var device = try await TestDevice.register(api, of: "user", doneDays: 30)
    let first = try await device.pull()
    #expect(Self.ids(first, "put").isSuperset(of: [done.text, open.text, hours.text]))

    weeks.pass(3)
    #expect(try await device.pull().isEmpty)
    weeks.pass(2)
    let aged = try await device.pull()
    #expect(Self.ids(aged, "leave") == [done.text, hours.text])
    #expect(aged.count == 2)
    #expect(try await device.pull().isEmpty)

    // A device that begins now gets neither.
    var late = try await TestDevice.register(api, of: "user", doneDays: 30)
    let begun = Self.ids(try await late.pull(), "put")
    #expect(begun.contains(open.text) && begun.isDisjoint(with: [done.text, hours.text]))
    // One without a window has all.
    var whole = try await TestDevice.register(api, of: "user")
    #expect(Self.ids(try await whole.pull(), "put").isSuperset(of: [done.text, open.text, hours.text]))

    try await Self.reopen(api, done)
    for var phone in [device, late] {
      #expect(Self.ids(try await phone.pull(), "put").isSuperset(of: [done.text, hours.text]))
    }
  }

  @Test func `what open work names is always there, and leaves with it`() async throws {
    let (api, weeks) = try await Self.open()
    let made = try await api.post(
      "/v1/maintenance/machine",
      ["code": "RM-OLD", "name": "Old roller"],
      as: api.member("admin")
    )
    let machine = try #require(made.json["id"]?.string)
    let retired = try await api.post("/v1/maintenance/machine/\(machine)/do/retire", as: api.member("admin"))
    #expect(retired.status == 200, "\(retired.text)")
    var device = try await TestDevice.register(api, of: "user", doneDays: 7)
    _ = try await device.pull()
    weeks.pass(3)
    #expect(Self.ids(try await device.pull(), "leave") == [machine])

    // An order now names the machine that the device has dropped.
    var fields = api.shop.fields()
    fields["machine_id"] = .string(machine)
    let order = try await api.post("/v1/maintenance/entry", fields, as: api.member("admin"))
    #expect(order.status == 201, "\(order.text)")
    let entry = try #require(order.json["id"]?.string)
    #expect(Self.ids(try await device.pull(), "put").isSuperset(of: [machine, entry]))
    var late = try await TestDevice.register(api, of: "user", doneDays: 7)
    #expect(Self.ids(try await late.pull(), "put").isSuperset(of: [machine, entry]))

    // The order is done long ago in turn: both leave.
    let id = try #require(UUID(text: entry))
    try await Self.complete(api, id)
    _ = try await device.pull()
    let left = try await device.pull()
    #expect(left.isEmpty || Self.ids(left, "leave").isSuperset(of: [entry]))
  }

  @Test func `a done order that an open one was split from stays, and one nobody names does not`()
    async throws
  {
    let (api, weeks) = try await Self.open()
    let (origin, alone) = (try await api.shop.entry(), try await api.shop.entry())
    for id in [origin, alone] { try await Self.complete(api, id) }
    // One phone had both, and one begins when both are old.
    var former = try await TestDevice.register(api, of: "user", doneDays: 30)
    _ = try await former.pull()
    weeks.pass(10)
    #expect(Self.ids(try await former.pull(), "leave") == [origin.text, alone.text])
    var fields = api.shop.fields()
    fields["split_from"] = .string(origin.text)
    let part = try await api.post("/v1/maintenance/entry", fields, as: api.member("admin"))
    #expect(part.status == 201, "\(part.text)")
    let again = Self.ids(try await former.pull(), "put")
    #expect(again.contains(origin.text) && !again.contains(alone.text))
    var device = try await TestDevice.register(api, of: "user", doneDays: 30)
    let ids = Self.ids(try await device.pull(), "put")
    #expect(ids.contains(origin.text))
    #expect(ids.contains(part.json["id"]?.string ?? ""))
    #expect(!ids.contains(alone.text))
  }

  @Test func `other days bring back what they cover, or let more leave`() async throws {
    let (api, weeks) = try await Self.open()
    let done = try await api.shop.entry()
    try await Self.complete(api, done)
    weeks.pass(5)
    var device = try await TestDevice.register(api, of: "user", doneDays: 60)
    #expect(Self.ids(try await device.pull(), "put").contains(done.text))
    try await device.register(doneDays: 14)
    #expect(Self.ids(try await device.pull(), "leave") == [done.text])
    for days in [60, nil] as [Int?] {
      try await device.register(doneDays: days)
      let page = try await device.page()
      #expect(
        page.json["restarted_scopes"]?.array?.contains("maintenance.entry") == true,
        "\(page.text.prefix(200))"
      )
      #expect(Self.ids(try await device.pull(), "put").contains(done.text))
      #expect(try await device.pull().isEmpty)
      try await device.register(doneDays: 14)
      // From all to a window the scopes begin again, too: the server does not list what goes.
      _ = try await device.pull()
      #expect(try await device.pull().isEmpty)
    }
  }

  @Test func `pages of any size tell the same, while work goes on`() async throws {
    let (api, weeks) = try await Self.open()
    var entries: [UUID] = []
    for _ in 0..<9 {
      let id = try await api.shop.entry()
      _ = try await Self.log(api, id)
      try await Self.complete(api, id)
      entries.append(id)
    }
    let open = try await api.shop.entry()
    for limit in [1, 2, 7, 1_000] {
      var device = try await TestDevice.register(api, of: "user", doneDays: 30)
      let before = Self.ids(try await device.pull(limit: limit), "put")
      #expect(before.isSuperset(of: entries.map(\.text) + [open.text]), "\(limit)")
      weeks.pass(20)
      let aged = try await device.pull(limit: limit)
      #expect(Self.ids(aged, "leave").count == 18, "\(limit): \(aged.count)")
      #expect(Self.ids(aged, "put").isEmpty)
      var late = try await TestDevice.register(api, of: "user", doneDays: 30)
      let begun = Self.ids(try await late.pull(limit: limit), "put")
      #expect(begun.isDisjoint(with: entries.map(\.text)), "\(limit)")
      #expect(begun.contains(open.text), "\(limit)")
      weeks.pass(-20)
    }
  }

  @Test func `a record with a change that waits for a decision stays`() async throws {
    let (api, weeks) = try await Self.open()
    let done = try await api.shop.entry("user")
    var device = try await TestDevice.register(api, of: "user", doneDays: 7)
    _ = try await device.pull()
    let path = "/v1/maintenance/entry/\(done.text)"
    _ = try await api.patch(path, ["description": "theirs"], as: api.member("admin"))
    let change = device.change(
      Self.entry,
      done,
      "patch",
      ["fields": ["description": "mine"], "base_version": 1]
    )
    #expect(try await device.push([change]).kinds == ["conflict"])
    try await Self.complete(api, done)
    _ = try await device.pull()
    weeks.pass(4)
    #expect(try await device.pull().isEmpty)
  }

  @Test func `days out of range, and cursors with nonsense, are refused`() async throws {
    let (api, _) = try await Self.open()
    let device = try await TestDevice.register(api, of: "user", doneDays: 3_650)
    for days in ["0", "-1", "3651", "1.5", "\"30\"", "99999999999999999999"] {
      let body = "{\"id\": \"\(device.id.text)\", \"name\": \"Phone\", \"done_days\": \(days)}"
      let answer = try await api.send(.post, "/v1/sync/devices", .text(body), as: device.caller)
      #expect(answer.status == 422 || answer.status == 400, "\(days): \(answer.text)")
    }
    let page = try await device.page()
    let cursor = try #require(page.json["cursor"]?.string)
    let bytes = try #require(Base64.decode(cursor, alphabet: .url))
    let json = try #require(try JSONValue(parsing: String(decoding: bytes, as: UTF8.self)).object)
    for window in [
      "{}", "{\"d\": 0, \"t\": 0, \"n\": 0}", "{\"d\": 30, \"t\": -1, \"n\": 0}",
      "{\"d\": 30, \"t\": 9223372036854775807, \"n\": 0}",
      "{\"d\": 30, \"t\": 0, \"n\": 0, \"s\": \"x\"}",
      "{\"d\": 30, \"t\": 0, \"n\": 0, \"s\": \"x\", \"p\": 9223372036854775807}",
    ] {
      var other = json
      other["w"] = try JSONValue(parsing: window)
      let text = Base64.encode(Array(JSONValue.object(other).text.utf8), alphabet: .url)
      let answer = try await api.get(
        "/v1/sync/changes?device=\(device.id.text)&cursor=\(text)",
        as: device.caller
      )
      #expect(answer.code == .invalidInput, "\(window): \(answer.text.prefix(200))")
    }
    // A place that does not exist changes nothing.
    var other = json
    other["w"] = ["d": 3_650, "t": 0, "n": 0, "s": "no.type", "p": 86_400_000_000]
    let text = Base64.encode(Array(JSONValue.object(other).text.utf8), alphabet: .url)
    let answer = try await api.get(
      "/v1/sync/changes?device=\(device.id.text)&cursor=\(text)",
      as: device.caller
    )
    #expect(answer.status == 200, "\(answer.text)")
  }

  @Test func `the client library keeps what the window has`() async throws {
    let (api, weeks) = try await Self.open()
    let (done, open) = (try await api.shop.entry(), try await api.shop.entry())
    try await Self.complete(api, done)
    let folder = FileManager.default.temporaryDirectory.appending(path: "fettle-window-\(UUID().uuidString)")
      .path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let transport = HandlerTransport(api, as: try api.member("user"))
    let client = try await TestDevice.client(transport, folder: folder, doneDays: 14)
    func ids() async throws -> Set<String> {
      try await client.sync()
      return Set(try await client.records(Self.entry).all().map(\.id.text))
    }
    #expect(try await ids() == [done.text, open.text])
    weeks.pass(4)
    #expect(try await ids() == [open.text])
    try await Self.reopen(api, done)
    #expect(try await ids() == [done.text, open.text])
  }
}
