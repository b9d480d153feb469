import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// The changes of a push are judged together, with the same results as one by one.
@Suite(.timeLimit(.minutes(60)), .app("maintenance")) struct PushBatchTests {
  private static let entry = "maintenance.entry"
  private static let machine = "maintenance.machine"

  @Test func `a value that PostgreSQL refuses in the middle of a batch affects no other change`() async throws
  {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "admin")
    let ids = (0..<100).map { _ in UUID() }
    let creations = ids.map {
      device.change(Self.entry, $0, "create", ["fields": .object(api.shop.fields())])
    }
    #expect(try await device.push(creations).kinds.allSatisfy { $0 == "applied" })
    let bad: Set<Int> = [0, 57, 58, 99]
    let patches = ids.enumerated().map { number, id in
      device.change(
        Self.entry,
        id,
        "patch",
        ["fields": ["priority": bad.contains(number) ? 99 : 1], "base_version": 1]
      )
    }
    let answer = try await device.push(patches)
    for (number, result) in answer.results.enumerated() {
      #expect(result["result"] == (bad.contains(number) ? "rejected" : "applied"))
      #expect(result["code"] == (bad.contains(number) ? "invalid_input" : nil))
      #expect(result["version"] == (bad.contains(number) ? nil : 2))
    }
    // The judgements were stored with the effects.
    let again = try await device.push(patches)
    #expect(again.kinds == answer.kinds)
    #expect(again.results.allSatisfy { $0["replayed"] == true })
    #expect(try await Integrity(shop: api.shop).faults() == [])
  }

  @Test func `eight copies of a batch at once get the same answers, and nothing is doubled`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "admin")
    var changes: [JSONObject] = []
    for number in 0..<100 {
      let id = UUID()
      changes.append(
        device.change(
          Self.entry,
          id,
          "create",
          ["fields": .object(api.shop.fields(["priority": number == 30 ? 9 : 1]))]
        )
      )
      guard number % 10 == 0 else { continue }
      changes.append(device.change(Self.entry, id, "transition", ["transition": "start"]))
    }
    let (sent, copies) = (device, changes)
    let answers = try await withThrowingTaskGroup { group in
      for _ in 0..<8 { group.addTask { try await sent.push(copies) } }
      return try await group.reduce(into: [TestAnswer]()) { $0.append($1) }
    }
    func judgements(_ answer: TestAnswer) -> [[JSONValue?]] {
      answer.results.map { result in
        ["no", "result", "version", "code", "blocked_by"].map { result[$0] }
      }
    }
    let first = try #require(answers.first)
    #expect(first.kinds.count { $0 == "applied" } == 108)
    #expect(first.kinds.count { $0 == "rejected" } == 1)
    #expect(first.kinds.count { $0 == "blocked" } == 1)
    for answer in answers { #expect(judgements(answer) == judgements(first)) }
    let rows = try await api.shop.engine.superuser.value(
      "select count(*) from core.history h where h.company_id = \(api.shop.company.id) and h.record_type = \(Self.entry)",
      as: Int.self
    )
    #expect(rows == 108)
    #expect(try await Integrity(shop: api.shop).faults() == [])
  }

  @Test func `a child is created together with its parent, and not without it`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "admin")
    func machine(_ id: UUID, _ code: String) -> JSONObject {
      device.change(Self.machine, id, "create", ["fields": ["code": .string(code), "name": "A"]])
    }
    func entry(_ machine: UUID) -> JSONObject {
      let fields = api.shop.fields(["machine_id": .id(machine)])
      return device.change(Self.entry, UUID(), "create", ["fields": .object(fields)])
    }
    let (good, bad, refused) = (UUID(), UUID(), UUID())
    let answer = try await device.push([
      machine(good, "NEW"), entry(good), machine(bad, "RM-001"), entry(bad), machine(refused, ""),
      entry(refused), entry(api.shop.machine),
    ])
    #expect(
      answer.kinds == ["applied", "applied", "conflict", "rejected", "rejected", "rejected", "applied"],
      "\(answer.text)"
    )
    #expect(answer.results[2]["code"] == "already_exists")
    #expect(answer.results[3]["code"] == "not_found")
    #expect(answer.results[5]["code"] == "not_found")
  }

  @Test func `each change of a record sees the one before it, however many there are`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "admin")
    let id = UUID()
    var changes = [device.change(Self.entry, id, "create", ["fields": .object(api.shop.fields())])]
    for number in 1...30 {
      changes.append(
        device.change(
          Self.entry,
          id,
          "patch",
          ["fields": ["description": .string("\(number)")], "base_version": .integer(number)]
        )
      )
    }
    changes.append(device.change(Self.entry, id, "delete"))
    changes.append(device.change(Self.entry, id, "patch", ["fields": ["priority": 1], "base_version": 32]))
    let answer = try await device.push(changes)
    #expect(answer.kinds == Array(repeating: "applied", count: 32) + ["conflict"], "\(answer.text)")
    #expect(answer.results[32]["code"] == "record_deleted")
    #expect(answer.results.prefix(32).compactMap { $0["version"]?.number?.integer } == (1...32).map(\.self))
  }

  @Test func `a guard sees what earlier changes of the batch did to other records`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "admin")
    let entry = UUID()
    let machine = api.shop.machine
    let answer = try await device.push([
      device.change(Self.entry, entry, "create", ["fields": .object(api.shop.fields())]),
      device.change(Self.machine, machine, "transition", ["transition": "retire"]),
    ])
    #expect(answer.kinds[0] == "applied")
    #expect(answer.results[1]["code"] == "guard_refused", "\(answer.text)")
    #expect(
      try await api.post("/v1/sync/items/\(device.id.text)/2/resolve", ["take": "discard"], as: device.caller)
        .status == 200
    )
    let second = try await device.push([
      device.change(Self.entry, entry, "delete"),
      device.change(Self.machine, machine, "transition", ["transition": "retire"]),
      device.change(Self.machine, machine, "delete"),
      device.change(Self.entry, UUID(), "create", ["fields": .object(api.shop.fields())]),
    ])
    #expect(second.kinds.prefix(2) == ["applied", "applied"], "\(second.text)")
    #expect(
      second.results[3]["code"] == (second.kinds[2] == "applied" ? "parent_deleted" : nil),
      "\(second.text)"
    )
  }

  @Test func `each reading of a meter is compared with those before it in the batch`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "admin")
    let meter = UUID()
    var changes = [
      device.change(
        "maintenance.meter",
        meter,
        "create",
        ["fields": ["machine_id": .id(api.shop.machine), "name": "Hours", "unit": "h"]]
      )
    ]
    for (day, value) in [10, 20, 15, 30, 40, 50].enumerated() {
      changes.append(
        device.change(
          "maintenance.meter_reading",
          UUID(),
          "create",
          [
            "fields": [
              "meter_id": .id(meter), "value": .integer(value),
              "taken_at": .string("2026-01-0\(day + 1)T08:00:00Z"),
            ]
          ]
        )
      )
    }
    let answer = try await device.push(changes)
    #expect(
      answer.kinds == ["applied", "applied", "applied", "rejected", "applied", "applied", "applied"],
      "\(answer.text)"
    )
    #expect(answer.results[3]["code"] == "reading_below_last")
  }

  @Test func `a role that is removed between two pushes refuses the second`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    func creations() -> [JSONObject] {
      (0..<10).map { _ in
        device.change(Self.entry, UUID(), "create", ["fields": .object(api.shop.fields())])
      }
    }
    #expect(try await device.push(creations()).kinds.allSatisfy { $0 == "applied" })
    let member = try #require(api.shop.members["user"])
    let members = Members(api.shop.engine.operators)
    _ = try await members.setRole(api.shop.operatorContext, member: member.email, role: "viewer")
    let refused = try await device.push(creations())
    #expect(refused.results.allSatisfy { $0["result"] == "rejected" && $0["code"] == "forbidden" })
    _ = try await members.setStatus(api.shop.operatorContext, member: member.email, status: .removed)
    #expect(try await device.push(creations()).status == 403)
  }

  @Test func `devices that push the same records in opposite order do not deadlock`() async throws {
    let api = try await TestDevice.api()
    let (one, two) = (
      try await TestDevice.register(api, of: "admin"), try await TestDevice.register(api, of: "owner")
    )
    var ids: [UUID] = []
    for _ in 0..<20 { ids.append(try await api.shop.entry("admin")) }
    let before = try await Self.deadlocks(api)
    try await withThrowingTaskGroup { group in
      for (device, order) in [(one, ids), (two, Array(ids.reversed()))] {
        group.addTask {
          var device = device
          for _ in 0..<15 {
            let changes = order.map { id in
              device.change(Self.entry, id, "patch", ["fields": ["priority": 1], "base_version": 1])
            }
            let answer = try await device.push(changes)
            #expect(answer.status == 200, "\(answer.text)")
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await Self.deadlocks(api) == before)
  }

  private static func deadlocks(_ api: APIFixture) async throws -> Int64 {
    try await api.shop.engine.superuser.value(
      "select d.deadlocks from pg_stat_database d where d.datname = current_database()",
      as: Int64.self
    )
  }
}
