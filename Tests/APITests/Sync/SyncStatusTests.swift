import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// What people see of devices: status, private changes, and the report.
@Suite(.timeLimit(.minutes(60))) struct SyncStatusTests {
  private static let entry = "maintenance.entry"

  @Test func `the status counts what waits, and says when a device last pushed and pulled with success`()
    async throws
  {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    let fresh = try await Self.device(device)
    #expect(fresh["last_push_at"] == .null)
    #expect(fresh["last_pull_at"] == .null)
    let good = device.change(Self.entry, UUID(), "create", ["fields": .object(api.shop.fields())])
    let bad = device.change(Self.entry, UUID(), "delete")
    let queue: JSONObject = [
      "pending": 3, "failed": 1, "oldest": "2026-01-02T03:04:05Z",
      "items": [
        [
          "no": 7, "status": "pending", "attempts": 2, "type": .string(Self.entry),
          "id": .string(UUID().text),
          "op": "create",
        ]
      ],
    ]
    // A request that is refused as a whole changes nothing.
    #expect(try await device.push([good, bad], ["epoch": .string(UUID().text)]).code == .resyncRequired)
    #expect(try await Self.device(device)["last_push_at"] == .null)
    #expect(try await device.push([good, bad], ["queue": .object(queue)]).kinds == ["applied", "rejected"])
    let pushed = try await Self.device(device)
    #expect(pushed["last_push_at"] != .null)
    #expect(pushed["last_pull_at"] == .null)
    #expect(pushed["max_no"] == 2)
    let counts = pushed["queue"]?.object
    #expect(counts?["pending"] == 3)
    #expect(counts?["failed"] == 1)
    #expect(counts?["oldest"]?.string?.hasPrefix("2026-01-02T03:04:05") == true)
    _ = try await device.pull()
    #expect(try await Self.device(device)["last_pull_at"] != .null)
    // The status of each change is stored: as the server judged it, and as the device says.
    let statuses = try await api.shop.engine.superuser.rows(
      "select i.no, i.status, i.attempts from core.sync_item i where i.device_id = \(device.id) order by i.no",
      Int.self,
      String.self,
      Int.self
    )
    #expect(statuses.map(\.0) == [1, 2, 7])
    #expect(statuses.map(\.1) == ["synced", "failed", "pending"])
    #expect(statuses.map(\.2) == [0, 0, 2])
  }

  @Test func `a waiting change under a confirmed number is not stored`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    let change = device.change(Self.entry, UUID(), "create", ["fields": .object(api.shop.fields())])
    #expect(try await device.push([change]).kinds == ["applied"])
    #expect(try await device.push([], ["confirmed_no": 1]).status == 200)
    // What the server forgets after that.
    let superuser = api.shop.engine.superuser
    try await superuser.execute("delete from core.sync_item where device_id = \(device.id)")
    // Another phone has a copy of the device.
    let item: JSONObject = [
      "status": "pending", "attempts": 0, "type": .string(Self.entry), "id": .string(UUID().text),
      "op": "create",
    ]
    var items = [item, item]
    for (index, number) in [1, 2].enumerated() { items[index]["no"] = .integer(number) }
    let queue: JSONObject = ["pending": 2, "items": .array(items.map { .object($0) })]
    #expect(try await device.push([], ["confirmed_no": 1, "queue": .object(queue)]).status == 200)
    let stored = try await superuser.rows(
      "select i.no from core.sync_item i where i.device_id = \(device.id)",
      Int64.self
    )
    #expect(stored == [2])
  }

  @Test
  func `a change of a private record is counted, and otherwise invisible to administrators and operators`()
    async throws
  {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user", app: "macros")
    let change = device.change("macros.goal", UUID(), "create", ["fields": ["day_type": "nonsense"]])
    #expect(try await device.push([change]).kinds == ["rejected"])
    let mine = try await api.get("/v1/sync/status", as: device.caller)
    #expect(mine.json["items"]?.array?.count == 1)
    let theirs = try await api.get("/v1/sync/status?all=true", as: api.member("admin"))
    #expect(theirs.status == 200)
    #expect(theirs.json["devices"]?.array?.count == 1)
    #expect(theirs.json["items"] == [])
    // Whatever the API asks, the policy of the table hides the row from every other member.
    let (company, admin) = (api.shop.company.id, try #require(api.shop.members["admin"]).userID)
    for (user, expected) in [(device.caller.user, 1), (admin, 0)] {
      let count = try await api.services.database.transaction(.inside(company, user: user)) { tx in
        try tx.value(
          "select count(*)::int from core.sync_item i where i.company_id = \(company)",
          as: Int.self
        )
      }
      #expect(count == expected)
    }
    let path = "/v1/sync/items/\(device.id.text)/1/resolve"
    #expect(try await api.post(path, ["take": "discard"], as: api.member("admin")).code == .notFound)
    // Everybody who counts counts it: somebody has to decide.
    #expect(theirs.json["devices"]?.array?.first?.object?["waiting"] == ["conflicts": 0, "failed": 1])
    #expect(try await Self.report(api) == ["Member user|0|0|1"])
    let reader = api.shop.engine.database.connect(as: "fettle_worker", poolSize: 1)
    let numbers = try await SyncNumbers.read(reader)
    #expect((numbers?.failed ?? 0) >= 1)
    await reader.close()
  }

  @Test func `the report has the values of the tables`() async throws {
    let api = try await TestDevice.api()
    var one = try await TestDevice.register(api, of: "admin")
    let two = try await TestDevice.register(api, of: "user")
    let entry = try await api.shop.entry("admin")
    _ = try await one.pull()
    _ = try await api.patch("/v1/maintenance/entry/\(entry.text)", ["description": "theirs"], as: one.caller)
    let conflict = one.change(
      Self.entry,
      entry,
      "patch",
      ["fields": ["description": "ours"], "base_version": 1]
    )
    let refused = one.change(Self.entry, UUID(), "delete")
    #expect(
      try await one.push([conflict, refused], ["queue": ["pending": 4, "failed": 2]]).kinds == [
        "conflict", "rejected",
      ]
    )
    #expect(try await Self.report(api) == ["Member admin|4|1|3", "Member user|0|0|0"])
    let behind = try await api.shop.engine.superuser.rows(
      """
      select r.behind, (select max(f.seq) from core.feed f where f.company_id = r.company_id)
      from report.v1_sync_health r where r.company_id = \(api.shop.company.id) order by r.member
      """,
      Int.self,
      Int.self
    )
    #expect(behind.map(\.0) == [1, behind[1].1])
    _ = two
  }

  @Test func `the totals for metrics are those of all companies`() async throws {
    let engine = try await EngineFixture.open(TestDatabase.make(), poolSize: 6)
    let apis = [
      try await TestDevice.api(Workshop.open(in: engine)),
      try await TestDevice.api(Workshop.open(in: engine)),
    ]
    let workers = engine.database.connect(as: "fettle_worker", poolSize: 1)
    #expect(try await SyncNumbers.read(workers)?.devices == 0)
    for api in apis {
      var device = try await TestDevice.register(api, of: "user")
      _ = try await device.pull()
      let bad = device.change(Self.entry, UUID(), "delete")
      let queue: JSONObject = ["pending": 5, "oldest": "2026-01-01T00:00:00Z"]
      _ = try await device.push([bad], ["queue": .object(queue)])
    }
    _ = try await apis[0].shop.entry()
    let numbers = try #require(try await SyncNumbers.read(workers))
    #expect(numbers.devices == 2)
    #expect(numbers.behind == 1)
    #expect(numbers.pending == 10)
    #expect(numbers.failed == 2)
    #expect(numbers.conflicts == 0)
    #expect(numbers.oldestSeconds > 1_000_000)
    try await engine.superuser.execute("update core.sync_item set updated_at = now() - interval '2 days'")
    try await engine.superuser.execute("update core.device set revoked_at = now() where queue_pending > 0")
    let later = try #require(try await SyncNumbers.read(workers))
    #expect(later.devices == 0)
    #expect(later.undecidedSeconds >= 172_800)
    await workers.close()
    await engine.close()
  }

  private static func device(_ device: TestDevice) async throws -> JSONObject {
    let status = try await device.api.get("/v1/sync/status", as: device.caller)
    return try #require(status.json["devices"]?.array?.first?.object)
  }

  /// The report as its readers see it.
  private static func report(_ api: APIFixture) async throws -> [String] {
    let reader = api.shop.engine.database.connect(as: "fettle_report", poolSize: 1)
    let rows = try await reader.rows(
      """
      select concat_ws('|', r.member, r.pending, r.conflicts, r.failed) from report.v1_sync_health r
      where r.company_id = \(api.shop.company.id) order by r.member
      """,
      String.self
    )
    await reader.close()
    return rows
  }
}
