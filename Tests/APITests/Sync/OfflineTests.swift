import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Secrets
import Store
import Testing

/// Devices that were offline: order, age, clocks and what they share.
@Suite(.timeLimit(.minutes(60))) struct OfflineTests {
  private static let entry = "maintenance.entry"

  @Test func `changes are applied in the order of their numbers, which the feed shows`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    var reader = try await TestDevice.register(api, of: "viewer")
    _ = try await reader.pull()
    let ids = (0..<20).map { _ in UUID() }.shuffled()
    var changes: [JSONObject] = []
    for id in ids {
      changes.append(device.change(Self.entry, id, "create", ["fields": .object(api.shop.fields())]))
    }
    #expect(try await device.push(changes).kinds == Array(repeating: "applied", count: 20))
    #expect(try await reader.pullEntries().compactMap { $0["id"]?.string } == ids.map(\.text))
    // A later change of the first record moves it to the end, after what came before.
    let again = device.change(
      Self.entry,
      ids[0],
      "patch",
      ["fields": ["description": "later"], "base_version": 1]
    )
    let other = device.change(Self.entry, UUID(), "create", ["fields": .object(api.shop.fields())])
    let pushed = try await device.push([again, other])
    #expect(pushed.kinds == ["applied", "applied"], "\(pushed.text)")
    #expect(try await reader.pullEntries().first?["id"]?.string == ids[0].text)
  }

  @Test func `a device whose clock is wrong misses nothing and doubles nothing`() async throws {
    let api = try await TestDevice.api()
    var late = try await TestDevice.register(api, of: "user")
    var early = try await TestDevice.register(api, of: "admin")
    _ = try await (late.pull(), early.pull())
    let ids = (UUID(), UUID())
    let old = late.change(
      Self.entry,
      ids.0,
      "create",
      ["fields": .object(api.shop.fields()), "client_time": "1999-12-31T23:59:59Z"]
    )
    let future = early.change(
      Self.entry,
      ids.1,
      "create",
      ["fields": .object(api.shop.fields()), "client_time": "2199-01-01T00:00:00Z"]
    )
    #expect(try await early.push([future]).kinds == ["applied"])
    #expect(try await late.push([old]).kinds == ["applied"])
    for var device in [late, early] {
      let found = try await device.pullEntries().compactMap { $0["id"]?.string }
      #expect(found == [ids.1.text, ids.0.text])
      #expect(try await device.pull().isEmpty)
    }
    // The time of the device and the device itself are kept beside the record, for people.
    let origins = try await api.shop.engine.superuser.rows(
      """
      select e.origin_device, e.client_created_at < e.created_at - interval '20 years'
      from maintenance.entry e where e.id = any (\([ids.0, ids.1])) order by e.client_created_at
      """,
      UUID.self,
      Bool.self
    )
    #expect(origins.map(\.0) == [late.id, early.id])
    #expect(origins.map(\.1) == [true, false])
  }

  @Test func `a sign-in on another device begins with everything, and an exchange can be repeated`()
    async throws
  {
    let api = try await TestDevice.api()
    var old = try await TestDevice.register(api, of: "user")
    let first = UUID()
    _ = try await old.push([
      old.change(Self.entry, first, "create", ["fields": .object(api.shop.fields())])
    ])
    var new = try await TestDevice.register(api, of: "user")
    let second = UUID()
    let change = new.change(Self.entry, second, "create", ["fields": .object(api.shop.fields())])
    let body: JSONObject = [
      "push": ["device_id": .string(new.id.text), "mutations": [.object(change)]]
    ]
    var pages: [Set<String>] = []
    for isReplay in [false, true] {
      let answer = try await api.post("/v1/sync/exchange", body, as: new.caller)
      #expect(answer.status == 200, "\(answer.text)")
      let result = answer.json["push"]?.object?["results"]?.array?.first?.object
      #expect(result?["result"] == "applied")
      #expect((result?["replayed"] == true) == isReplay)
      let changes = answer.json["changes"]?.object?["changes"]?.array ?? []
      pages.append(Set(changes.compactMap { $0.object?["id"]?.string }))
    }
    #expect(pages[0].isSuperset(of: [first.text, second.text]))
    #expect(pages[0] == pages[1])
    #expect(try await api.shop.count("history", of: second) == 1)
  }

  @Test func `goals and the profile of a person reach their other devices, and nobody else's`() async throws {
    let api = try await TestDevice.api()
    var one = try await TestDevice.register(api, of: "user", app: "macros")
    var two = try await TestDevice.register(api, of: "user", app: "macros")
    var other = try await TestDevice.register(api, of: "admin", app: "macros")
    _ = try await two.pull()
    let (goal, profile) = (UUID(), UUID())
    let answer = try await one.push([
      one.change(
        "macros.goal",
        goal,
        "create",
        [
          "fields": [
            "day_type": "rest", "protein_g": 150, "carbs_g": 200, "fat_g": 60, "effective_from": "2026-01-01",
          ]
        ]
      ), one.change("macros.profile", profile, "create", ["fields": ["display_name": "Uma"]]),
    ])
    #expect(answer.kinds == ["applied", "applied"], "\(answer.text)")
    #expect(Set(try await two.pull().compactMap { $0["id"]?.string }) == [goal.text, profile.text])
    let patch = two.change(
      "macros.goal",
      goal,
      "patch",
      ["fields": ["protein_g": 160], "base_version": 1]
    )
    #expect(try await two.push([patch]).kinds == ["applied"])
    let back = try await one.pull().last { $0["id"]?.string == goal.text }
    #expect(back?["fields"]?.object?["protein_g"]?.number == 160)
    #expect(try await !other.pull().contains { [goal.text, profile.text].contains($0["id"]?.string) })
  }

  @Test func `work done without a connection counts from when it was done, as far as that is possible`()
    async throws
  {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "admin")
    func times(_ id: UUID) async throws -> (created: Int64, started: Int64?, completed: Int64?) {
      let row = try await api.shop.engine.superuser.rows(
        "select e.created_at, e.started_at, e.completed_at from maintenance.entry e where e.id = \(id)",
        Instant.self,
        Instant?.self,
        Instant?.self
      ).first
      let found = try #require(row)
      return (found.0.microseconds, found.1?.microseconds, found.2?.microseconds)
    }
    func push(_ id: UUID, _ transition: String, at time: Int64) async throws {
      let time = Instant(microseconds: time).rfc3339
      let change = device.change(
        Self.entry,
        id,
        "transition",
        ["transition": .string(transition), "client_time": .string(time)]
      )
      let answer = try await device.push([change])
      #expect(answer.kinds == ["applied"], "\(answer.text)")
    }
    let id = try await api.shop.entry()
    let created = try await times(id).created
    try await Task.sleep(for: .milliseconds(50))
    try await push(id, "start", at: created + 20_000)
    #expect(try await times(id).started == created + 20_000)
    // The clock of the phone fell back: nothing is completed before it was started.
    try await push(id, "complete", at: 0)
    #expect(try await times(id).completed == created + 20_000)
    // Or it is ahead: nothing happens in the future.
    let other = try await api.shop.entry()
    let tomorrow = created + 86_400_000_000
    try await push(other, "start", at: tomorrow)
    let found = try await times(other)
    let started = try #require(found.started)
    #expect(started >= found.created && started < tomorrow)
  }

  @Test func `an entry that is a month old is applied, and counts for its own day`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user", app: "macros")
    let id = UUID()
    let change = device.change(
      "macros.entry",
      id,
      "create",
      [
        "fields": [
          "protein_g": 30, "carbs_g": 10, "fat_g": 1, "eaten_at": "2026-01-05T12:00:00Z",
          "local_date": "2026-01-05",
        ], "client_time": "2026-01-05T12:00:01Z",
      ]
    )
    let answer = try await device.push([change])
    #expect(answer.kinds == ["applied"], "\(answer.text)")
    let days = try await api.shop.engine.superuser.rows(
      """
      select d.local_date::text, d.protein_g::text from report.v1_macro_day d
      where d.company_id = \(api.shop.company.id)
      """,
      String.self,
      String.self
    )
    #expect(days.map(\.0) == ["2026-01-05"])
    #expect(days.map(\.1) == ["30.0"])
  }

  @Test func `every type that a member may read has a scope`() async throws {
    let api = try await TestDevice.api()
    let device = try await TestDevice.register(api, of: "admin", app: nil)
    let cursor = try #require(try await device.page().json["cursor"]?.string)
    let bytes = try #require(Base64.decode(cursor, alphabet: .url))
    let document = try #require(try JSONValue(parsing: String(decoding: bytes, as: UTF8.self)).object)
    let scopes = document["s"]?.array?.compactMap(\.string) ?? []
    let types = Set(scopes.map { String($0.prefix { $0 != "/" && $0 != "!" }) })
    #expect(types == Set(api.shop.records.catalogue.types.map(\.name)))
  }

  @Test func `what a device has is what the API shows`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "viewer")
    let id = try await api.shop.entry()
    _ = try await device.pull()
    try await api.shop.take("start", id)
    let pulled = try #require(try await device.pull().last { $0["id"]?.string == id.text })
    let shown = try await api.get("/v1/maintenance/entry/\(id.text)", as: device.caller)
    var expected = shown.json
    // Devices do not get what changes with the time.
    for name in ["allowed", "age_days", "is_overdue"] { expected[name] = nil }
    #expect(pulled["fields"]?.object == expected)
    // Nothing new is an empty page, whose cursor is as good as the one before.
    let empty = try await device.page()
    #expect(empty.json["changes"] == [])
    #expect(empty.json["has_more"] == false)
  }
}
