import API
import Domain
import Engine
import FoundationEssentials
import Testing

/// Strict reading of bodies and queries, without a database.
@Suite struct StrictTests {
  private static func request(
    _ body: String = "",
    query: [(name: String, value: String)] = []
  ) -> APIRequest {
    APIRequest(
      method: .post,
      path: "/v1/x",
      query: query,
      body: .bytes(Array(body.utf8)),
      id: UUID(),
      address: "192.0.2.1",
      origin: "https://fettle.example"
    )
  }

  private static let schema = Schema.object([
    Schema.Member("role", .string), .optional("uses", .integer(minimum: 1, maximum: 1_000)),
  ])

  @Test func `an unknown member of a body is refused, with the closest name`() throws {
    let error = #expect(throws: DomainError.self) {
      _ = try RequestMembers(Self.request(#"{"rolle": "user"}"#).json(), Self.schema)
    }
    #expect(error?.code == .unknownFields)
    #expect(error?.hint == "did you mean role?")
  }

  @Test(arguments: [
    #"{"uses": "3"}"#, #"{"uses": 1.5}"#, #"{"uses": 0}"#, #"{"uses": 1001}"#, #"{"uses": true}"#,
    #"{"uses": []}"#,
  ])
  func `a number of another type or range is refused`(_ text: String) throws {
    let body = try RequestMembers(Self.request(text).json(), Self.schema)
    let error = #expect(throws: DomainError.self) { _ = try body.optionalInteger("uses") }
    #expect(error?.code == .invalidNumber)
  }

  @Test func `a missing text is named, and null is as missing`() throws {
    let body = try RequestMembers(Self.request(#"{"role": null}"#).json(), Self.schema)
    let error = #expect(throws: DomainError.self) { _ = try body.text("role") }
    #expect(error?.code == .missingFields)
    #expect(error?.details["fields"] == ["role"])
    #expect(try body.optionalText("role") == nil)
  }

  private struct NoCallers: CallerGate {
    func caller(of request: APIRequest) async throws -> Caller? { nil }
  }

  @Test func `a parameter that an operation does not have is refused`() async {
    let parameters = [Operation.Parameter("limit", "Number"), .init("If-Match", in: .header, "Version")]
    let operation = Operation("x", tag: "x", "X", parameters: parameters, answers: [])
    let route = Route(.post, "/v1/x", operation, admission: .everybody) { _ in .noContent }
    let api = API(routes: [route], gate: NoCallers())
    let queries: [([(name: String, value: String)], Int)] = [
      ([("limit", "1")], 204), ([("dry_run", "true")], 422), ([("If-Match", "1")], 422),
      ([("limit", "1"), ("limit", "2")], 422),
    ]
    for (query, status) in queries {
      let answer = await api.answer(Self.request(query: query), of: route, parameters: [:])
      #expect(answer.status == status, "\(query)")
    }
  }

  @Test func `a repeatable parameter has all its values, in order`() throws {
    let query = StrictQuery(Self.request(query: [("where", "a=1"), ("where", "b=2")]))
    #expect(query.all("where") == ["a=1", "b=2"])
  }

  @Test func `a limit is clamped to 200, and no number is refused`() throws {
    func limit(_ text: String) throws -> Int {
      try StrictQuery(Self.request(query: [("limit", text)])).limit()
    }
    #expect(try StrictQuery(Self.request()).limit() == 50)
    #expect(try limit("7") == 7)
    #expect(try limit("100000") == 200)
    for text in ["0", "-1", "x", "", "1e3", "٣", "99999999999999999999"] {
      #expect(throws: DomainError.self) { _ = try limit(text) }
    }
  }

  @Test func `the link to the next page keeps the query`() {
    let request = Self.request(query: [("search", "å&b"), ("after", "1")])
    #expect(
      ListAnswer.link("2", request) == "<https://fettle.example/v1/x?search=%C3%A5%26b&after=2>; rel=\"next\""
    )
  }
}
