import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Store
import Synchronization
import Testing

/// The harness of the API's tests: callers, methods and unknown paths.
@Suite(.timeLimit(.minutes(60))) struct HarnessTests {
  private static func open() async throws -> APIFixture {
    try await APIFixture.open { _ in
      [
        Route(.get, "/v1/me/{part}", Operation("me", tag: "test", "Show the caller", answers: [])) {
          request in
          let acting = try request.acting()
          return .json([
            "user": .string(acting.user?.text ?? ""), "part": .string(try request.parameter("part")),
          ])
        },
        Route(.post, "/v1/me", Operation("write", tag: "test", "Write", request: .anyObject, answers: [])) {
          request in
          .json(try request.json(), status: 201)
        },
      ]
    }
  }

  @Test func `the caller that a test states reaches the handler`() async throws {
    let api = try await Self.open()
    let answer = try await api.get("/v1/me/a%20b", as: api.member("viewer"))
    #expect(answer.status == 200)
    #expect(answer.json["user"]?.string == api.shop.members["viewer"]?.userID.text)
    #expect(answer.json["part"]?.string == "a b")
    #expect(answer.headers["x-request-id"] != nil)
  }

  @Test func `every answer repeats the id of its request, so that a client knows an answer as the server's`()
    async throws
  {
    let api = try await Self.open()
    let targets: [(APIMethod, String, TestCaller?, Int)] = [
      (.get, "/v1/me/a", try api.member("viewer"), 200), (.get, "/v1/me/a", nil, 401),
      (.get, "/v1/me/a", try api.member("viewer", kind: .guest), 403),
      (.get, "/v1/me/a?unknown=1", try api.member("viewer"), 422),
    ]
    for (method, target, caller, status) in targets {
      let id = UUID()
      let answer = try await api.send(method, target, as: caller, id: id)
      #expect(answer.status == status, "\(target)")
      #expect(answer.headers["x-request-id"] == id.text, "\(target)")
      if status >= 400 { #expect(answer.json["request_id"]?.string == id.text, "\(target)") }
    }
  }

  private struct NoGate: CallerGate {
    func caller(of request: APIRequest) async throws -> Caller? { nil }
  }

  @Test func `a failure of the server is reported, and a limit that was reached is not`() {
    let reported = Mutex<[ErrorCode]>([])
    let judge = API(routes: [], gate: NoGate()) { error, _ in
      if let error = error as? DomainError { reported.withLock { $0.append(error.code) } }
    }
    let request = APIRequest(
      method: .get,
      path: "/v1/me/a",
      query: [],
      headers: [:],
      body: .none,
      id: UUID(),
      address: "192.0.2.1",
      origin: "https://fettle.example"
    )
    #expect(judge.problem(DomainError(.rateLimited), request).status == 429)
    #expect(judge.problem(DomainError(.notFound), request).status == 404)
    #expect(reported.withLock(\.self).isEmpty)
    #expect(judge.problem(DomainError(.unavailable), request).status == 503)
    #expect(judge.problem(DomainError(.internal), request).status == 500)
    #expect(reported.withLock(\.self) == [.unavailable, .internal])
  }

  @Test func `without a caller, as a guest, and elsewhere, requests are refused`() async throws {
    let api = try await Self.open()
    #expect(try await api.get("/v1/me/a").status == 401)
    #expect(try await api.post("/v1/me", as: api.member("viewer", kind: .guest)).code == .signUpRequired)
    // Also a route that only reads, unless it is one for guests.
    #expect(try await api.get("/v1/me/a", as: api.member("viewer", kind: .guest)).code == .signUpRequired)
    #expect(try await api.post("/v1/me", ["a": 1], as: api.member("viewer")).json == ["a": 1])
    #expect(try await api.put("/v1/me", as: api.member("viewer")).status == 405)
    #expect(try await api.get("/v1/you").status == 404)
  }
}
