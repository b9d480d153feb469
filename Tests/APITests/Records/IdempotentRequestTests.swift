import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Store
import Testing

/// `Idempotency-Key`: a repeated request is answered again, not done again.
@Suite(.timeLimit(.minutes(60)), .app("maintenance")) struct IdempotentRequestTests {
  private static let machines = RecordRouteTests.machines

  private func key(_ key: String) -> [(name: String, value: String)] { [("Idempotency-Key", key)] }

  @Test func `a repetition has the first answer and says so`() async throws {
    let api = try await RecordRouteTests.open()
    let admin = try api.member("admin")
    func create() async throws -> TestAnswer {
      try await api.post(Self.machines, ["code": "A-1", "name": "A"], as: admin, headers: key("one"))
    }
    let first = try await create()
    let rows = try await api.shop.rows()
    let again = try await create()
    #expect(first.status == 201)
    #expect(again.status == 201)
    #expect(again.bytes == first.bytes)
    for name in ["etag", "location", "content-type"] { #expect(again.headers[name] == first.headers[name]) }
    #expect(first.headers["idempotency-replayed"] == nil)
    #expect(again.headers["idempotency-replayed"] == "true")
    #expect(try await api.shop.rows() == rows)
  }

  @Test func `transitions, updates, deletions, comments and batches are replayed`() async throws {
    let api = try await RecordRouteTests.open()
    let admin = try api.member("admin")
    let id = try await api.shop.entry()
    let path = "\(RecordRouteTests.entries)/\(id.text)"
    let batch: JSONObject = [
      "operations": [
        [
          "op": "create", "type": "maintenance.machine", "id": .id(UUID()),
          "fields": ["code": "B", "name": "B"],
        ]
      ]
    ]
    let requests: [(APIMethod, String, JSONObject?)] = [
      (.post, "\(path)/do/start", [:]), (.patch, path, ["description": "drips"]),
      (.post, "\(path)/comments", ["body": "hello"]), (.post, "/v1/batch", batch),
      (.post, "\(RecordRouteTests.entries)/do/complete?status=in_progress", ["comment": "done and tested"]),
      (.delete, path, nil), (.post, "\(path)/restore", [:]),
    ]
    for (place, (method, target, body)) in requests.enumerated() {
      func send() async throws -> TestAnswer {
        let body = body.map { APIBody.json($0) } ?? .none
        return try await api.send(method, target, body, as: admin, headers: key("key \(place)"))
      }
      let first = try await send()
      #expect([200, 201].contains(first.status), "\(target): \(first.text)")
      let again = try await send()
      #expect(again.bytes == first.bytes, "\(target)")
      #expect(again.headers["idempotency-replayed"] == "true", "\(target)")
    }
  }

  @Test func `the key of another body is a conflict, that of another member is not`() async throws {
    let api = try await RecordRouteTests.open()
    let (admin, owner) = (try api.member("admin"), try api.member("owner"))
    func create(_ code: String, _ caller: TestCaller) async throws -> TestAnswer {
      try await api.post(
        Self.machines,
        ["code": .string(code), "name": "A"],
        as: caller,
        headers: key("same")
      )
    }
    #expect(try await create("A-1", admin).status == 201)
    let other = try await create("A-2", admin)
    #expect(other.status == 409)
    #expect(other.code == .idempotencyConflict)
    #expect(try await create("A-3", owner).status == 201)
  }

  @Test func `a refusal is not stored`() async throws {
    let api = try await RecordRouteTests.open()
    let admin = try api.member("admin")
    let missing = try await api.post(Self.machines, ["code": "A-1"], as: admin, headers: key("k"))
    #expect(missing.status == 422)
    let made = try await api.post(Self.machines, ["code": "A-1", "name": "A"], as: admin, headers: key("k"))
    #expect(made.status == 201)
  }

  @Test func `a repetition after the token was revoked is refused`() async throws {
    let api = try await RecordRouteTests.open()
    let token = try await api.token("admin", scopes: ["maintenance.machine.create"])
    func create() async throws -> TestAnswer {
      try await api.post(Self.machines, ["code": "A-1", "name": "A"], as: token, headers: key("k"))
    }
    #expect(try await create().status == 201)
    #expect(try await create().headers["idempotency-replayed"] == "true")
    let tokens = try await Tokens(api.shop.engine.operators).list(api.shop.operatorContext)
    for row in tokens {
      _ = try await Tokens(api.shop.engine.operators).revoke(api.shop.operatorContext, token: row.id.text)
    }
    #expect(try await create().status == 401)
  }

  @Test func `a key has 1 to 150 characters`() async throws {
    let api = try await RecordRouteTests.open()
    let admin = try api.member("admin")
    for (length, status) in [(0, 422), (150, 201), (151, 422)] {
      let answer = try await api.post(
        Self.machines,
        ["code": .string("L\(length)"), "name": "A"],
        as: admin,
        headers: key(String(repeating: "k", count: length))
      )
      #expect(answer.status == status)
    }
  }

  @Test func `a creation with the client's id is not done twice without a key either`() async throws {
    let api = try await RecordRouteTests.open()
    let admin = try api.member("admin")
    let fields: JSONObject = ["id": .id(UUID()), "code": "A-1", "name": "A"]
    let first = try await api.post(Self.machines, fields, as: admin)
    #expect(first.json["id"] == fields["id"])
    #expect(try await api.post(Self.machines, fields, as: admin).code == .alreadyExists)
  }
}
