import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Rules that depend on other records see those that were written before, also within the same batch, file or push; and
/// they judge what a transition writes and what comes back from deletion.
@Suite(.timeLimit(.minutes(60))) struct RuleOrderTests {
  private static let reading = "maintenance.meter_reading"

  /// Two readings, the second of which is below the first.
  private func falling(_ house: House) -> [JSONObject] {
    [("150", "2026-01-12T08:00:00Z"), ("140", "2026-01-13T08:00:00Z")].map { value, taken in
      ["meter_id": house.id("meter"), "value": .string(value), "taken_at": .string(taken)]
    }
  }

  @Test func `the readings of a batch are compared with each other`() async throws {
    let house = try await House.open()
    let error = try await refused {
      _ = try await house.records.apply(
        house.acting,
        falling(house).map { .create(type: Self.reading, id: UUID(), fields: $0) }
      )
    }
    #expect(error.code == .readingBelowLast && error.details["operation"] == 1)
  }

  @Test func `the readings of a push are compared with each other, and with corrections`() async throws {
    let house = try await House.open()
    #expect(
      try await house.push(falling(house).map { (Self.reading, UUID(), $0) }) == [nil, .readingBelowLast]
    )
    let later: JSONObject = [
      "meter_id": house.id("meter"), "value": "160", "taken_at": "2026-01-14T08:00:00Z",
    ]
    let id = UUID()
    #expect(try await house.push([(Self.reading, id, later)]) == [nil])
  }

  @Test func `the readings of a file are compared with each other`() async throws {
    let house = try await House.open()
    let outcome = try await house.load(Self.reading, falling(house))
    #expect(outcome.imported == 1)
    #expect(outcome.refused.map(\.code) == [.readingBelowLast] && outcome.refused.map(\.line) == [2])
  }

  @Test func `the messages of a batch and of a file are numbered in their order`() async throws {
    let house = try await House.open()
    let messages: [JSONObject] = ["one", "two"].map {
      ["conversation_id": house.id("conversation"), "author": "user", "content": .string($0)]
    }
    _ = try await house.records.apply(
      house.acting,
      messages.map { .create(type: "trips.message", id: UUID(), fields: $0) }
    )
    #expect(try await house.load("trips.message", messages).imported == 2)
    let found = try await house.records.list(house.acting, type: "trips.message", RecordQuery())
    let order = found.map { "\($0["seq"]?.displayText ?? "") \($0["content"]?.displayText ?? "")" }.sorted()
    #expect(order == ["1 one", "2 two", "3 one", "4 two"])
  }

  @Test func `a meal is counted on the day of the zone that came in the same batch or push`() async throws {
    let meal: JSONObject = ["protein_g": "30", "eaten_at": "2026-03-01T20:00:00Z"]
    let profile: JSONObject = ["timezone": "Asia/Tokyo"]
    for way in [Writer.batch, .device] {
      let house = try await House.open()
      if way == .batch {
        _ = try await house.records.apply(
          house.acting,
          [
            .create(type: "macros.profile", id: UUID(), fields: profile),
            .create(type: "macros.entry", id: UUID(), fields: meal),
          ]
        )
      } else {
        let changes = [("macros.profile", UUID(), profile), ("macros.entry", UUID(), meal)]
        #expect(try await house.push(changes) == [nil, nil])
      }
      let meals = try await house.records.list(house.acting, type: "macros.entry", RecordQuery())
      #expect(meals.map { $0["local_date"] } == ["2026-03-02"], "by \(way)")
    }
  }

  @Test func `a batch counts its own records towards a quota`() async throws {
    let house = try await House.open()
    try await Quotas(house.shop.engine.operators, house.records).set(
      house.shop.operatorContext,
      [("maintenance.machine", 3)]
    )
    let error = try await refused {
      _ = try await house.records.apply(
        house.acting,
        (0..<2).map { number in
          .create(
            type: "maintenance.machine",
            id: UUID(),
            fields: ["code": .string("Q-\(number)"), "name": "Quota"]
          )
        }
      )
    }
    #expect(error.code == .quotaExceeded)
  }

  @Test func `what a transition writes is judged like an edit, alone, in bulk, and from a device`()
    async throws
  {
    let house = try await House.open()
    let overlay = try YAMLDocument.decode(
      WorkflowOverlay.self,
      "overlay: maintenance.entry@2\ntighten: { transitions: { start: { require: { fields: [category_id] } } } }\n",
      document: "overlay.yaml"
    )
    try await Workflows(house.shop.engine.operators, house.records).setOverlay(
      house.shop.acting("admin"),
      overlay
    )
    let (type, entry) = ("maintenance.entry", house.ids["entry"] ?? UUID())
    func start(_ category: String) -> TransitionRequest {
      TransitionRequest("start", fields: ["category_id": house.id(category)])
    }
    let single = try await refused {
      _ = try await house.records.transition(house.acting, type: type, id: entry, request: start("other"))
    }
    #expect(single.code == .categoryOfOtherMachine)
    let bulk = try await house.records.transitionAll(
      house.acting,
      type: type,
      where: RecordQuery(),
      request: start("other")
    )
    #expect(bulk.items.compactMap(\.code) == [.categoryOfOtherMachine])
    let fields: JSONObject = [
      "op": "transition", "transition": "start", "fields": ["category_id": house.id("other")],
    ]
    #expect(try await house.send([(type, entry, fields)]) == [.categoryOfOtherMachine])
    let done = try await house.records.transition(
      house.acting,
      type: type,
      id: entry,
      request: start("category")
    )
    #expect(done.status == "in_progress")
  }

  @Test func `a record that contradicts others does not come back from deletion`() async throws {
    let house = try await House.open()
    let later: JSONObject = [
      "meter_id": house.id("meter"), "value": "150", "taken_at": "2026-01-12T08:00:00Z",
    ]
    let id = try await house.records.create(house.acting, type: Self.reading, fields: later).id
    _ = try await house.records.delete(house.acting, type: Self.reading, id: id)
    var lower = later
    lower["value"] = "120"
    lower["taken_at"] = "2026-01-13T08:00:00Z"
    _ = try await house.records.create(house.acting, type: Self.reading, fields: lower)
    let error = try await refused {
      _ = try await house.records.restore(house.acting, type: Self.reading, id: id)
    }
    #expect(error.code == .readingBelowLast)
    #expect(try await Integrity(shop: house.shop).faults(withNotices: false) == [])
  }

  @Test func `a batch names its first refused operation, also if PostgreSQL would refuse a later one`()
    async throws
  {
    let house = try await House.open()
    let type = "maintenance.machine"
    let error = try await refused {
      _ = try await house.records.apply(
        house.acting,
        [
          .create(type: type, id: UUID(), fields: ["name": "Without a code"]),
          .create(type: type, id: UUID(), fields: ["code": "RM-002", "name": "Taken"]),
          // Its statements follow those of the others.
          .delete(type: "trips.plan", id: house.ids["trip"] ?? UUID()),
        ]
      )
    }
    #expect(error.code == .missingFields && error.details["operation"] == 0)
  }
}
