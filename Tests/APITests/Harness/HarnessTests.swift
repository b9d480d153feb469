import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Store
import Testing

/// The harness of the API's tests: callers, methods and unknown paths.
@Suite(.timeLimit(.minutes(30))) struct HarnessTests {
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

  @Test func `without a caller, as a guest, and elsewhere, requests are refused`() async throws {
    let api = try await Self.open()
    #expect(try await api.get("/v1/me/a").status == 401)
    #expect(try await api.post("/v1/me", as: api.member("viewer", kind: .guest)).code == .signUpRequired)
    #expect(try await api.post("/v1/me", ["a": 1], as: api.member("viewer")).json == ["a": 1])
    #expect(try await api.put("/v1/me", as: api.member("viewer")).status == 405)
    #expect(try await api.get("/v1/you").status == 404)
  }
}
