import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Store
import Testing

/// Several records at once: batches, and transitions of all records that match.
@Suite(.timeLimit(.minutes(60)), .app("maintenance")) struct BatchRouteTests {
  private func operations(_ operations: [JSONValue]) -> JSONObject { ["operations": .array(operations)] }

  private func machine(_ code: String, _ id: UUID = UUID()) -> JSONValue {
    [
      "op": "create", "type": "maintenance.machine", "id": .id(id),
      "fields": ["code": .string(code), "name": "A"],
    ]
  }

  @Test func `later operations refer to earlier ones`() async throws {
    let api = try await RecordRouteTests.open()
    let (machine, entry) = (UUID(), UUID())
    let answer = try await api.post(
      "/v1/batch",
      operations([
        self.machine("B-1", machine),
        [
          "op": "create", "type": "maintenance.entry", "id": .id(entry),
          "fields": [
            "machine_id": .id(machine), "category_id": .id(api.shop.category), "description": "leaks",
          ],
        ],
        ["op": "transition", "type": "maintenance.entry", "id": .id(entry), "transition": "start"],
        [
          "op": "update", "type": "maintenance.machine", "id": .id(machine), "fields": ["name": "B"],
          "version": 1,
        ],
      ]),
      as: api.member("admin")
    )
    #expect(answer.status == 200, "\(answer.text)")
    #expect(answer.items.map { $0["version"] } == [1, 1, 2, 2])
    #expect(answer.items[2]["status"] == "in_progress")
  }

  @Test func `operations name records by number, key and the beginning of an id, as paths do`() async throws {
    let api = try await RecordRouteTests.open()
    let admin = try api.member("admin")
    let (machine, order, second) = (UUID(), UUID(), UUID())
    let made = try await api.post("/v1/batch", operations([self.machine("B-1", machine)]), as: admin)
    #expect(made.status == 200, "\(made.text)")
    let fields: JSONValue = [
      "machine_id": "b-1", "category_id": .id(api.shop.category), "description": "leaks",
    ]
    func creation(_ id: UUID) -> JSONValue {
      ["op": "create", "type": "maintenance.entry", "id": .id(id), "fields": fields]
    }
    let created = try await api.post("/v1/batch", operations([creation(order), creation(second)]), as: admin)
    #expect(created.status == 200, "\(created.text)")
    let number = try #require(created.items[0]["number"]?.string)
    let answer = try await api.post(
      "/v1/batch",
      operations([
        [
          "op": "update", "type": "maintenance.machine", "id": .string(String(machine.text.prefix(13))),
          "fields": ["name": "B"],
        ],
        ["op": "transition", "type": "maintenance.entry", "id": .string(number), "transition": "start"],
        ["op": "delete", "type": "maintenance.entry", "id": .id(second)],
      ]),
      as: admin
    )
    #expect(answer.status == 200, "\(answer.text)")
    #expect(answer.items.map { $0["id"] } == [.id(machine), .id(order), .id(second)])
    let gone = try #require(created.items[1]["number"]?.string)
    let restored = try await api.post(
      "/v1/batch",
      operations([["op": "restore", "type": "maintenance.entry", "id": .string(gone)]]),
      as: admin
    )
    #expect(restored.status == 200 && restored.items[0]["id"] == .id(second), "\(restored.text)")
    let before = try await api.shop.rows()
    let wrong = try await api.post(
      "/v1/batch",
      operations([self.machine("B-2"), ["op": "delete", "type": "maintenance.machine", "id": "B-9"]]),
      as: admin
    )
    #expect(wrong.code == .notFound && wrong.json["operation"] == 1, "\(wrong.text)")
    #expect(!wrong.text.contains("B-1"))
    #expect(try await api.shop.rows() == before)
  }

  @Test func `one refused operation undoes all, and is named`() async throws {
    let api = try await RecordRouteTests.open()
    let before = try await api.shop.rows()
    let answer = try await api.post(
      "/v1/batch",
      operations([machine("B-1"), ["op": "delete", "type": "maintenance.machine", "id": .id(UUID())]]),
      as: api.member("admin")
    )
    #expect(answer.code == .notFound)
    #expect(answer.json["operation"] == 1)
    #expect(try await api.shop.rows() == before)
  }

  @Test func `a batch has 1 to 100 operations`() async throws {
    let api = try await RecordRouteTests.open()
    let admin = try api.member("admin")
    let hundred = (1...100).map { machine("B-\($0)") }
    #expect(try await api.post("/v1/batch?dry_run=true", operations(hundred), as: admin).items.count == 100)
    let more = try await api.post("/v1/batch", operations(hundred + [machine("B-0")]), as: admin)
    #expect(more.status == 413)
    #expect(try await api.post("/v1/batch", operations([]), as: admin).status == 422)
    #expect(try await api.post("/v1/batch", as: admin).status == 422)
  }

  @Test func `operations are read strictly`() async throws {
    let api = try await RecordRouteTests.open()
    let admin = try api.member("admin")
    let wrong: [(JSONValue, ErrorCode)] = [
      ("create", .invalidInput), (["op": "create", "type": "maintenance.machine"], .missingFields),
      (["op": "drop", "type": "maintenance.machine", "id": .id(UUID())], .invalidInput),
      (["op": "create", "type": "maintenance.machine", "id": "RM-7"], .invalidID),
      (["op": "delete", "type": "maintenance.machine", "id": 1], .invalidInput),
      (["op": "delete", "type": "maintenance.machine", "id": "1"], .notFound),
      (["op": "restore", "type": "maintenance.machine", "id": .id(UUID()), "version": 1], .unknownFields),
      (["op": "update", "type": "maintenance.machine", "id": .id(UUID()), "fields": [:]], .missingFields),
      (["op": "delete", "type": "maintenance.nothing", "id": .id(UUID())], .unknownType),
    ]
    for (operation, code) in wrong {
      let answer = try await api.post("/v1/batch", operations([operation]), as: admin)
      #expect(answer.code == code, "\(answer.text)")
    }
  }

  @Test func `a transition of many has a result for each record`() async throws {
    let api = try await RecordRouteTests.open()
    let (first, second) = (try await api.shop.entry(), try await api.shop.entry())
    try await api.shop.take("start", first)
    let target = "\(RecordRouteTests.entries)/do/start?where=status%20in%20pending,in_progress"
    let trial = try await api.post("\(target)&dry_run=true", as: api.member("admin"))
    #expect(trial.json["dry_run"] == true)
    let answer = try await api.post(target, as: api.member("admin"))
    #expect(answer.status == 200, "\(answer.text)")
    #expect(answer.json["done"] == 1)
    #expect(answer.json["refused"] == 1)
    let results = Dictionary(answer.items.map { ($0["id"]?.string ?? "", $0["code"]) }) { first, _ in first }
    #expect(results[first.text] == .some("wrong_state"))
    #expect(results[second.text] == .some(.null))
  }

  @Test func `a transition of many names its records`() async throws {
    let api = try await RecordRouteTests.open()
    let admin = try api.member("admin")
    #expect(try await api.post("\(RecordRouteTests.entries)/do/start", as: admin).code == .missingFields)
    #expect(try await api.post("\(RecordRouteTests.entries)/do/start?q=", as: admin).code == .missingFields)
    let condition = [(name: "If-Match", value: "\"0a1b2c3d.1.-\"")]
    let target = "\(RecordRouteTests.entries)/do/start?status=pending"
    #expect(try await api.post(target, as: admin, headers: condition).code == .invalidInput)
  }
}
