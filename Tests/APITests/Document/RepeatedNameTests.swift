import API
import Domain
import Testing

/// Members, parameters and placeholders of a route that have the same name.
@Suite struct RepeatedNameTests {
  private func route(
    _ pattern: String = "/v1/test",
    parameters: [Operation.Parameter] = [],
    request: Schema? = nil,
    answer: Schema? = nil
  ) -> Route {
    let operation = Operation(
      "test",
      tag: "test",
      "Test",
      parameters: parameters,
      request: request,
      answers: [Operation.Answer(200, "Fine", answer)]
    )
    return Route(.post, pattern, operation) { _ in .noContent }
  }

  private static let twice = Schema.object([
    Schema.Member("code", .string, "The one-time code"), .optional("code", .string, "The invite code"),
  ])

  @Test func `two members of one name are found, in any depth`() {
    #expect(route(request: Self.twice).repeatedName == "code")
    #expect(route(answer: Self.twice).repeatedName == "code")
    let deep = Schema.object([Schema.Member("items", .array(of: .nullable(Self.twice)))])
    #expect(route(request: deep).repeatedName == "code")
    #expect(route("/v1/{a}/{b}/{a}").repeatedName == "a")
    let fields = [
      Operation.Parameter("If-Match", in: .header, ""), Operation.Parameter("if-match", in: .header, ""),
    ]
    #expect(route(parameters: fields).repeatedName == "if-match")
    #expect(
      route(parameters: [Operation.Parameter("q", ""), Operation.Parameter("q", "")]).repeatedName == "q"
    )
  }

  @Test func `the same name in two places is none`() {
    let inner = Schema.object([Schema.Member("name", .string)])
    let outer = Schema.object([Schema.Member("name", .string), Schema.Member("company", inner)])
    #expect(route(request: outer, answer: outer).repeatedName == nil)
    let places = [Operation.Parameter("id", ""), Operation.Parameter("id", in: .header, "")]
    #expect(route(parameters: places).repeatedName == nil)
  }

  @Test func `a table with such a route is not built`() async {
    await #expect(processExitsWith: .failure) {
      let members = [Schema.Member("code", .string), Schema.Member("code", .string)]
      let operation = Operation("test", tag: "test", "Test", request: .object(members), answers: [])
      _ = RouteTable([Route(.post, "/v1/test", operation) { _ in .noContent }])
    }
  }
}
