import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Invalid values are refused with the field's name, by the engine or finally by PostgreSQL.
@Suite(.timeLimit(.minutes(60))) struct FieldRefusalTests {
  private static let entry = "maintenance.entry"

  @Test(
    arguments: [
      ("estimated_hours", "many", ErrorCode.invalidNumber), ("estimated_hours", 100_000, .invalidNumber),
      ("estimated_hours", -1, .invalidInput), ("estimated_hours", "NaN", .invalidNumber),
      ("priority", "2.5", .invalidNumber), ("priority", 70_000, .invalidNumber),
      ("priority", 9, .invalidInput),
      ("due_on", "2026-02-30", .invalidDate), ("due_on", 5, .invalidInput), ("due_on", ["a"], .invalidInput),
      ("description", .string(String(repeating: "x", count: 10_001)), .valueTooLong),
      ("description", "a\u{0}b", .invalidInput), ("description", "   ", .missingFields),
      ("description", ["text": "x"], .invalidInput), ("machine_id", "RM-001", .invalidID),
      ("assigned_to", "00000000-0000-4000-8000-000000000000", .notFound),
    ] as [(String, JSONValue, ErrorCode)]
  )
  func `a value that does not fit is refused by its field`(field: String, value: JSONValue, code: ErrorCode)
    async throws
  {
    let shop = try await Workshop.open(roles: ["user"])
    let error = try await refused { _ = try await shop.entry("owner", [field: value]) }
    #expect(error.code == code, "\(error)")
    #expect(error.message.contains(field), "\(error)")
    for word in ["maintenance.entry (", "_check", "_fkey", "select", "SQLSTATE", "violates"] {
      #expect(!error.description.contains(word), "\(error)")
    }
    #expect(try await shop.records.list(shop.acting("owner"), type: Self.entry, RecordQuery()).isEmpty)
    let id = try await shop.entry("owner")
    guard code != .missingFields else { return }
    let edit = try await refused {
      _ = try await shop.records.update(
        shop.acting("owner"),
        type: Self.entry,
        id: id,
        fields: [field: value]
      )
    }
    #expect(edit.code == code && edit.message.contains(field), "\(edit)")
  }

  @Test func `rules between columns name them all`() async throws {
    let shop = try await Workshop.open(roles: [])
    let error = try await refused {
      _ = try await shop.records.create(
        shop.acting("owner"),
        type: "maintenance.pm_plan",
        fields: ["machine_id": .id(shop.machine), "category_id": .id(shop.category), "title": "Oil"]
      )
    }
    #expect(error.code == .invalidInput)
    #expect(error.details["fields"] == ["every_days", "every_units"])
  }

  @Test func `a code that is taken is a conflict here and free in another company`() async throws {
    let shop = try await Workshop.open(roles: ["admin"])
    let error = try await refused {
      _ = try await shop.records.create(
        shop.acting("admin"),
        type: "maintenance.machine",
        fields: ["code": " rm-001", "name": "Twin"]
      )
    }
    #expect(error.code == .alreadyExists && error.category == .conflict)
    #expect(error.message == "there is a machine with the same code already")
    #expect(error.details["fields"] == ["code"])
    // The other company's own RM-001 exists too.
    _ = try await Workshop.open(roles: [])
  }

  @Test func `an id that was chosen before is a conflict, here and after a deletion, and harmless elsewhere`()
    async throws
  {
    let shop = try await Workshop.open(roles: ["admin"])
    let other = try await Workshop.open(roles: ["admin"])
    let id = UUID()
    func create(_ shop: Workshop, _ code: JSONValue) async throws {
      _ = try await shop.records.create(
        shop.acting("admin"),
        type: "maintenance.machine",
        id: id,
        fields: ["code": code, "name": "x"]
      )
    }
    try await create(shop, "A")
    let again = try await refused { try await create(shop, "A2") }
    #expect(again.code == .alreadyExists && again.message.contains("id"))
    _ = try await shop.records.delete(shop.acting("admin"), type: "maintenance.machine", id: id)
    #expect(try await refused { try await create(shop, "A3") }.code == .alreadyExists)
    try await create(other, "A")
  }

  @Test func `a quota is kept, also by those who write at once`() async throws {
    let shop = try await Workshop.open(roles: ["admin"])
    let quotas = Quotas(shop.engine.operators, shop.records)
    let machine = "maintenance.machine"
    try await quotas.set(shop.operatorContext, [(machine, 4)])
    let made = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<8 {
        group.addTask {
          do {
            _ = try await shop.records.create(
              shop.acting("admin"),
              type: machine,
              fields: ["code": .string("Q\(number)"), "name": "x"]
            )
            return true
          } catch let error as DomainError where error.code == .quotaExceeded {
            return false
          }
        }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(made == 3, "one was there")
    let usage = try await quotas.list(shop.operatorContext).first { $0.type == machine }
    #expect(usage?.used == 4 && usage?.maximum == 4)
    let first = try await shop.records.list(shop.acting("admin"), type: machine, RecordQuery())[0]
    let id = try #require(first["id"]?.string.flatMap(UUID.init(uuidString:)))
    _ = try await shop.records.delete(shop.acting("admin"), type: machine, id: id)
    _ = try await shop.records.create(
      shop.acting("admin"),
      type: machine,
      fields: ["code": "Q9", "name": "x"]
    )
    let back = try await refused {
      _ = try await shop.records.restore(shop.acting("admin"), type: machine, id: id)
    }
    #expect(back.code == .quotaExceeded, "what was deleted counts again when it comes back")
    let member = try await refused { try await quotas.set(shop.acting("owner"), [(machine, nil)]) }
    #expect(member.code == .forbidden)
    try await quotas.set(shop.operatorContext, [(machine, nil), ("*", 0)])
    let all = try await refused { _ = try await shop.entry("admin") }
    #expect(all.code == .quotaExceeded)
    #expect(try await Integrity(shop: shop).faults() == [])
  }
  @Test func `a lowered quota holds at once`() async throws {
    let shop = try await Workshop.open(roles: ["admin"])
    let quotas = Quotas(shop.engine.operators, shop.records)
    let machine = "maintenance.machine"
    func create(_ code: String) async throws {
      _ = try await shop.records.create(
        shop.acting("admin"),
        type: machine,
        fields: ["code": .string(code), "name": "x"]
      )
    }
    try await quotas.set(shop.operatorContext, [(machine, 1_000)])
    try await create("L1")
    try await quotas.set(shop.operatorContext, [(machine, 2)])
    #expect(try await refused { try await create("L2") }.code == .quotaExceeded)
    try await quotas.set(shop.operatorContext, [(machine, 3)])
    try await create("L2")
  }

  @Test func `those who are about to fill a quota come one after the other`() async throws {
    let shop = try await Workshop.open(roles: ["admin"])
    let machine = "maintenance.machine"
    try await Quotas(shop.engine.operators, shop.records).set(shop.operatorContext, [(machine, 4)])
    let (isHolding, isDone) = (Flag(), Flag())
    let holder = Task {
      // Simulates another writer that has counted and not committed yet.
      try await shop.engine.superuser.transaction { tx in
        _ = try tx.rows(QuotaStore.queue(machine, company: shop.company.id), String.self)
        isHolding.raise()
        while !isDone.isRaised {
          if try tx.value(AwaitedLock.isAwaited, as: Bool.self) { return true }
        }
        return false
      }
    }
    while !isHolding.isRaised { await Task.yield() }
    let fields: JSONObject = ["code": "Q1", "name": "x"]
    _ = try await shop.records.create(shop.acting("admin"), type: machine, fields: fields)
    isDone.raise()
    #expect(try await holder.value, "it came while another was at it")
  }
}
