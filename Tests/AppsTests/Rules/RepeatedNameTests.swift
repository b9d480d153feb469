import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// A repeated request with an idempotency key, whose names mean nothing or something else since its first answer.
@Suite(.timeLimit(.minutes(60))) struct RepeatedNameTests {
  /// The owner of the house, as signed in.
  private struct OwnerGate: CallerGate {
    let acting: ActingContext

    func caller(of request: APIRequest) async throws -> Caller? {
      Caller(kind: .browser, acting: acting, user: acting.user ?? UUID(), session: UUID(), isStrong: true)
    }
  }

  /// A request, sent with a key of its own, and its answer.
  private struct Request {
    let name: String
    let method: APIMethod
    let path: String
    let body: JSONObject?
    let key: String

    init(
      _ name: String,
      _ method: APIMethod,
      _ path: String,
      _ body: JSONObject? = nil,
      key: String = UUID().text
    ) {
      (self.name, self.method, self.path, self.body, self.key) = (name, method, path, body, key)
    }
  }

  private struct Answer: Equatable {
    let status: Int
    let text: String
    let isReplay: Bool

    /// The members of the body.
    var json: JSONObject { (try? JSONValue(parsing: text))?.object ?? [:] }
  }

  private struct Server {
    let api: API

    init(_ house: House) {
      let services = house.shop.engine.services
      api = API(
        routes: RecordRoutes(services, house.records).routes,
        gate: OwnerGate(acting: house.acting),
        kept: KeptAnswers(services)
      )
    }

    func send(_ request: Request) async throws -> Answer {
      guard case .route(let route, let parameters) = api.table.find(request.method, request.path) else {
        return Answer(status: 404, text: "no route", isReplay: false)
      }
      let sent = APIRequest(
        method: request.method,
        path: request.path,
        headers: ["content-type": "application/json", "idempotency-key": request.key],
        body: request.body.map { .bytes(Array(JSONValue.object($0).text.utf8)) } ?? .none,
        id: UUID(),
        address: "192.0.2.1",
        origin: "https://fettle.example"
      )
      let answer = await api.answer(sent, of: route, parameters: parameters)
      var text = ""
      if case .bytes(let bytes) = answer.body { text = String(decoding: bytes, as: UTF8.self) }
      return Answer(
        status: answer.status,
        text: text,
        isReplay: answer.headers["idempotency-replayed"] == "true"
      )
    }
  }

  @Test func `every verb of every type answers again after the record's name is gone`() async throws {
    let house = try await House.open()
    let server = Server(house)
    var (tried, types): ([String: Int], Set<String>) = ([:], [])
    for row in TypeRow.all(house) where !row.new.isEmpty {
      let type = try house.records.catalogue.type(row.type)
      let key = type.definition.key.last.flatMap { type.column($0)?.kind == .text ? $0 : nil }
      guard type.definition.number != nil || key != nil else { continue }
      let collection = "/v1/\(row.type.split(separator: ".").joined(separator: "/"))"
      var done: [(Request, Answer)] = []
      func perform(_ request: Request) async throws {
        let answer = try await server.send(request)
        guard (200..<300).contains(answer.status) else { return }
        done.append((request, answer))
        tried[request.name, default: 0] += 1
        types.insert(row.type)
      }
      func repeatAll(_ when: String) async throws {
        for (request, first) in done {
          let again = try await server.send(request)
          let place = "\(row.type): \(request.name) \(when)"
          #expect(again.isReplay, "\(place): \(again)")
          #expect(again.status == first.status && again.text == first.text, "\(place): \(again)")
        }
      }
      let created = try await server.send(Request("create", .post, collection, row.new))
      guard let id = created.json["id"]?.string.flatMap(UUID.init(text:)) else { continue }
      // A key may be empty.
      guard var name = try await name(id, type, house) else { continue }
      if !row.change.isEmpty {
        try await perform(Request("update", .patch, "\(collection)/\(name)", row.change))
      }
      try await perform(Request("comment", .post, "\(collection)/\(name)/comments", ["body": "hello"]))
      let operation: JSONObject = [
        "op": "update", "type": .string(row.type), "id": .string(name), "fields": .object(row.change),
      ]
      try await perform(Request("batch", .post, "/v1/batch", ["operations": [.object(operation)]]))
      for transition in try await house.records.available(house.acting, type: row.type, id: id).prefix(1) {
        let comment: JSONObject = ["comment": "because it has to be"]
        try await perform(Request("transition", .post, "\(collection)/\(name)/do/\(transition)", comment))
      }
      if type.definition.number == nil, let key, type.definition.editable.contains(key) {
        try await perform(Request("rename", .patch, "\(collection)/\(name)", [key: "Renamed"]))
        if done.last?.0.name == "rename" { name = "Renamed" }
        try await repeatAll("after a change of the name")
      }
      try await perform(Request("delete", .delete, "\(collection)/\(name)"))
      try await repeatAll("after the deletion")
      try await perform(Request("restore", .post, "\(collection)/\(name)/restore", [:]))
      try await repeatAll("after the restoration")
    }
    print("repeated names: \(types.count) types, \(tried.sorted { $0.key < $1.key })")
    #expect(types.isSuperset(of: ["maintenance.entry", "maintenance.machine", "inventory.item"]))
    #expect(types.count >= 10)
    for verb in ["update", "comment", "batch", "transition", "rename", "delete", "restore"] {
      #expect(tried[verb, default: 0] >= 2, "\(verb)")
    }
  }

  /// Returns the number or the key of a record; nil if it has neither.
  private func name(_ id: UUID, _ type: RecordType, _ house: House) async throws -> String? {
    let record = try await house.records.show(house.acting, type: type.name, id: id)
    let columns = (type.definition.number == nil ? [] : ["number"]) + type.definition.key.suffix(1)
    return columns.lazy.compactMap { record[$0]?.string }.first?.percentEncoded
  }

  @Test func `a name that means another record by now does not change the answer`() async throws {
    let house = try await House.open()
    let server = Server(house)
    let machines = "/v1/maintenance/machine"
    let machine = try await server.send(Request("", .post, machines, ["code": "EX-77", "name": "Old"]))
    let order = Request(
      "create",
      .post,
      "/v1/maintenance/entry",
      ["machine_id": "EX-77", "category_id": .id(house.shop.category), "description": "leaks"]
    )
    let first = try await server.send(order)
    #expect(first.status == 201, "\(first)")
    let update = Request("update", .patch, "\(machines)/EX-77", ["code": "EX-78"])
    let renamed = try await server.send(update)
    #expect(renamed.json["id"] == machine.json["id"], "\(renamed)")
    for step in ["no record has the name", "another record has the name"] {
      let (again, update) = (try await server.send(order), try await server.send(update))
      #expect(again.isReplay && again.text == first.text, "\(step): \(again)")
      #expect(update.isReplay && update.text == renamed.text, "\(step): \(update)")
      _ = try await server.send(Request("", .post, machines, ["code": "EX-77", "name": "New"]))
    }
    // Other words under the same key are another request, also where they mean the same record.
    let other: JSONObject = ["machine_id": "EX-78"]
    #expect(try await server.send(Request("", .post, order.path, other, key: order.key)).status == 409)
    let machinesNow = try await house.shop.engine.superuser.value(
      "select count(*) from maintenance.machine m where m.company_id = \(house.shop.company.id) and m.name = 'New'",
      as: Int.self
    )
    #expect(machinesNow == 1)
  }
}
