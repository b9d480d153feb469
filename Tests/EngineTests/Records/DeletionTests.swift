import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Tombstones: cascades, obstacles, and restoration.
@Suite(.timeLimit(.minutes(60))) struct DeletionTests {
  private static let machine = "maintenance.machine"
  private static let entry = "maintenance.entry"
  private static let time = "maintenance.time_entry"

  /// - Parameter day: the day of March; the hours of a person must not overlap.
  private func hours(_ shop: Workshop, on entry: UUID, as name: String = "user", day: Int = 2) async throws
    -> UUID
  {
    let worker = try #require(shop.members[name]?.userID)
    return try await shop.records.create(
      shop.acting(name),
      type: Self.time,
      fields: [
        "entry_id": .id(entry), "user_id": .id(worker),
        "work_date": .string("2026-03-\(day < 10 ? "0" : "")\(day)"), "start_time": "08:00",
        "end_time": "16:30", "has_lunch": true,
      ]
    ).id
  }

  private func lists(_ shop: Workshop, _ type: String, deleted: Bool = false) async throws -> [UUID] {
    var query = RecordQuery()
    query.deleted = deleted
    return try await shop.records.list(shop.acting("owner"), type: type, query)
      .compactMap { $0["id"]?.string.flatMap(UUID.init(uuidString:)) }
  }

  @Test func `a deleted entry takes its hours along, and both come back together`() async throws {
    let shop = try await Workshop.open()
    let entry = try await shop.entry()
    let kept = try await hours(shop, on: entry)
    let earlier = try await hours(shop, on: entry, day: 3)
    _ = try await shop.records.delete(shop.acting("user"), type: Self.time, id: earlier)
    let answer = try await shop.records.delete(
      shop.acting("admin"),
      type: Self.entry,
      id: entry,
      comment: "twice"
    )
    #expect(answer.version == 2 && answer.along == [Self.time: 1])
    #expect(try await lists(shop, Self.entry).isEmpty)
    #expect(try await lists(shop, Self.time).isEmpty)
    #expect(try await lists(shop, Self.entry, deleted: true) == [entry])
    #expect(try await shop.count("timer", of: entry) == 0, "its timers are void")
    #expect(try await refused { try await shop.take("start", entry) }.code == .notFound)
    let history = try await history(shop, kept, Self.time)
    #expect(history.map(\.0) == ["create", "delete"])
    #expect(history.last?.1 == "with maintenance.entry \(entry.uuidString.lowercased())")
    #expect(try await feed(shop, kept) == "delete")

    let back = try await shop.records.restore(shop.acting("admin"), type: Self.entry, id: entry)
    #expect(back.version == 3 && back.along == [Self.time: 1] && back.status == "pending")
    #expect(try await lists(shop, Self.time) == [kept], "what was deleted before stays deleted")
    #expect(try await shop.count("timer", of: entry) == 1, "and its reminder is armed again")
    #expect(try await feed(shop, kept) == "put")
    try await shop.take("start", entry)
    #expect(try await Integrity(shop: shop).faults() == [])
  }

  @Test func `a machine with entries stays, and is told which`() async throws {
    let shop = try await Workshop.open()
    let entry = try await shop.entry("user", ["external_ref": "R-7"])
    let error = try await refused {
      _ = try await shop.records.delete(shop.acting("admin"), type: Self.machine, id: shop.machine)
    }
    #expect(error.code == .stillReferenced)
    #expect(error.message.contains("WO-1001"))
    let named = error.details["references"]?.array?.first?.object
    #expect(named?["count"] == 1 && named?["ids"] == [.id(entry)] && named?["type"] == "maintenance.entry")
    _ = try await shop.records.delete(shop.acting("admin"), type: Self.entry, id: entry)
    _ = try await shop.records.delete(shop.acting("admin"), type: Self.machine, id: shop.machine)
    #expect(try await Integrity(shop: shop).faults() == [])
  }

  @Test func `records deleted with a machine are no obstacle, even if they refer to each other`() async throws
  {
    let shop = try await Workshop.open()
    let owner = shop.acting("owner")
    let machine = JSONValue.id(shop.machine)
    let category = try await shop.records.create(
      owner,
      type: "maintenance.category",
      fields: ["name": "Guns", "machine_id": machine]
    )
    let meter = try await shop.records.create(
      owner,
      type: "maintenance.meter",
      fields: ["machine_id": machine, "name": "Oil", "unit": "h"]
    )
    _ = try await shop.records.create(
      owner,
      type: "maintenance.meter_reading",
      fields: ["meter_id": .id(meter.id), "value": 3, "taken_at": "2026-01-01T00:00:00Z"]
    )
    _ = try await shop.records.create(
      owner,
      type: "maintenance.pm_plan",
      fields: [
        "machine_id": machine, "category_id": .id(category.id), "title": "Oil", "meter_id": .id(meter.id),
        "every_units": 100,
      ]
    )
    let alone = try await refused {
      _ = try await shop.records.delete(owner, type: "maintenance.meter", id: meter.id)
    }
    #expect(alone.code == .stillReferenced, "the plan would stay without its meter")
    let shown = try await shop.records.show(owner, type: "maintenance.meter", id: meter.id)
    #expect(shown["allowed"]?.array?.contains("delete") == false)
    let all = try await shop.records.show(owner, type: Self.machine, id: shop.machine)
    #expect(all["allowed"]?.array?.contains("delete") == true)
    let answer = try await shop.records.delete(owner, type: Self.machine, id: shop.machine)
    #expect(
      answer.along == [
        "maintenance.category": 1, "maintenance.meter": 1, "maintenance.meter_reading": 1,
        "maintenance.pm_plan": 1,
      ]
    )
    let back = try await shop.records.restore(owner, type: Self.machine, id: shop.machine)
    #expect(back.along == answer.along)
    #expect(try await Integrity(shop: shop).faults() == [])
  }

  @Test func `a category that is used is archived: entries keep its name, new ones cannot have it`()
    async throws
  {
    let shop = try await Workshop.open()
    let entry = try await shop.entry()
    _ = try await shop.records.delete(shop.acting("admin"), type: "maintenance.category", id: shop.category)
    let shown = try await shop.records.show(shop.acting("user"), type: Self.entry, id: entry)
    #expect(shown["category_name"] == "Engine")
    _ = try await shop.records.update(
      shop.acting("user"),
      type: Self.entry,
      id: entry,
      fields: ["priority": 1]
    )
    #expect(try await refused { _ = try await shop.entry() }.code == .parentDeleted)
    try await shop.take("start", entry)
    _ = try await shop.records.restore(shop.acting("admin"), type: "maintenance.category", id: shop.category)
    _ = try await shop.entry()
  }

  @Test func `a restored record's name may have been taken meanwhile`() async throws {
    let shop = try await Workshop.open()
    let admin = shop.acting("admin")
    _ = try await shop.records.delete(admin, type: Self.machine, id: shop.machine)
    _ = try await shop.records.create(admin, type: Self.machine, fields: ["code": "rm-001 ", "name": "New"])
    let error = try await refused {
      _ = try await shop.records.restore(admin, type: Self.machine, id: shop.machine)
    }
    #expect(error.code == .alreadyExists)
    #expect(error.details["fields"] == ["code"])
  }

  @Test func `hours come back only with their entry`() async throws {
    let shop = try await Workshop.open()
    let entry = try await shop.entry()
    let hours = try await hours(shop, on: entry)
    let admin = shop.acting("admin")
    _ = try await shop.records.delete(admin, type: Self.time, id: hours)
    _ = try await shop.records.delete(admin, type: Self.entry, id: entry)
    let hidden = try await refused {
      _ = try await shop.records.show(shop.acting("viewer"), type: Self.time, id: hours, deleted: true)
    }
    #expect(hidden.code == .notFound)
    let shown = try await shop.records.show(admin, type: Self.time, id: hours, deleted: true)
    #expect(shown["allowed"] == [])
    let error = try await refused { _ = try await shop.records.restore(admin, type: Self.time, id: hours) }
    #expect(error.code == .parentDeleted)
    _ = try await shop.records.restore(admin, type: Self.entry, id: entry)
    _ = try await shop.records.restore(admin, type: Self.time, id: hours)
    let again = try await refused { _ = try await shop.records.restore(admin, type: Self.time, id: hours) }
    #expect(again.code == .wrongState)
  }

  @Test func `a restoration asks for the permission before the state`() async throws {
    let shop = try await Workshop.open(roles: ["admin", "viewer"])
    func restored(_ role: String) async throws -> ErrorCode {
      try await refused {
        _ = try await shop.records.restore(shop.acting(role), type: Self.machine, id: shop.machine)
      }.code
    }
    #expect(try await restored("viewer") == .forbidden)
    #expect(try await restored("admin") == .wrongState)
    _ = try await shop.records.delete(shop.acting("admin"), type: Self.machine, id: shop.machine)
    #expect(try await restored("viewer") == .forbidden)
  }

  @Test func `entries are deleted by administrators, hours by their author while the entry is open`()
    async throws
  {
    let shop = try await Workshop.open(roles: ["admin", "user", "user2", "viewer"])
    let entry = try await shop.entry("user")
    let own = try await hours(shop, on: entry, as: "user")
    let other = try await hours(shop, on: entry, as: "user2")
    func delete(_ type: String, _ id: UUID, as name: String) async throws {
      _ = try await shop.records.delete(shop.acting(name), type: type, id: id)
    }
    #expect(try await refused { try await delete(Self.entry, entry, as: "user") }.code == .forbidden)
    #expect(try await refused { try await delete(Self.time, other, as: "user") }.code == .forbidden)
    #expect(try await refused { try await delete(Self.time, own, as: "viewer") }.code == .forbidden)
    try await shop.take("start", entry)
    try await shop.take("complete", entry)
    #expect(try await refused { try await delete(Self.time, own, as: "user") }.code == .wrongState)
    try await delete(Self.time, own, as: "admin")
    let total = try await shop.records.show(shop.acting("user"), type: Self.entry, id: entry)["hours_logged"]
    #expect(total == 8)
    #expect(try await history(shop, own, Self.time).map(\.0) == ["create", "delete"])
    let deleted = try await refused { _ = try await self.deleted(shop, Self.entry, as: "user") }
    #expect(deleted.code == .forbidden, "tombstones are for those who may delete")
  }

  @Test func `a stale version, an unknown record and somebody else's record are refused`() async throws {
    let shop = try await Workshop.open()
    let other = try await Workshop.open()
    let entry = try await shop.entry()
    let admin = shop.acting("admin")
    let stale = try await refused {
      _ = try await shop.records.delete(admin, type: Self.entry, id: entry, version: 7)
    }
    #expect(stale.code == .stale && stale.details["version"] == 1)
    for id in [UUID(), other.machine] {
      let error = try await refused { _ = try await shop.records.delete(admin, type: Self.machine, id: id) }
      #expect(error.code == .notFound)
    }
    let first = try await shop.records.delete(admin, type: Self.entry, id: entry, version: 1, key: "k")
    let second = try await shop.records.delete(admin, type: Self.entry, id: entry, version: 1, key: "k")
    #expect(first.version == second.version)
    #expect(
      try await refused { _ = try await shop.records.delete(admin, type: Self.entry, id: entry) }.code
        == .notFound
    )
  }

  @Test func `a parent that is deleted while children are made leaves no orphan`() async throws {
    let shop = try await Workshop.open()
    for round in 0..<12 {
      let entry = try await shop.entry()
      let outcomes = try await withThrowingTaskGroup(of: DomainError?.self) { group in
        for number in 0..<6 {
          group.addTask {
            do {
              if number == round % 6 {
                _ = try await shop.records.delete(shop.acting("admin"), type: Self.entry, id: entry)
              } else {
                _ = try await hours(shop, on: entry, day: number + 2)
              }
              return nil
            } catch let error as DomainError {
              return error
            }
          }
        }
        return try await group.reduce(into: [DomainError?]()) { $0.append($1) }
      }
      #expect(outcomes.compactMap(\.self).allSatisfy { $0.code == .parentDeleted }, "\(outcomes)")
    }
    let orphans = try await shop.engine.superuser.value(
      """
      select count(*) from maintenance.time_entry t
      join maintenance.entry e on e.company_id = t.company_id and e.id = t.entry_id
      where t.company_id = \(shop.company.id) and t.deleted_at is null and e.deleted_at is not null
      """,
      as: Int64.self
    )
    #expect(orphans == 0)
    #expect(try await Integrity(shop: shop).faults() == [])
  }

  private func deleted(_ shop: Workshop, _ type: String, as name: String) async throws -> [JSONObject] {
    var query = RecordQuery()
    query.deleted = true
    return try await shop.records.list(shop.acting(name), type: type, query)
  }

  /// Kind and comment of each history entry, including a tombstone's.
  private func history(_ shop: Workshop, _ id: UUID, _ type: String) async throws -> [(String, String?)] {
    try await shop.engine.superuser.rows(
      """
      select h.kind, h.comment from core.history h
      where h.company_id = \(shop.company.id) and h.record_type = \(type) and h.record_id = \(id)
      order by h.seq
      """,
      String.self,
      String?.self
    )
  }

  private func feed(_ shop: Workshop, _ id: UUID) async throws -> String {
    try await shop.engine.superuser.value(
      "select f.op from core.feed f where f.company_id = \(shop.company.id) and f.record_id = \(id)",
      as: String.self
    )
  }
}
