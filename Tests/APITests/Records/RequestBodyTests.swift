import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Testing

/// Bodies that parsers read differently, or that cost more than they weigh.
@Suite(.timeLimit(.minutes(60)), .app("maintenance")) struct RequestBodyTests {
  static let bodies: [(String, APIBody, Int)] = [
    ("no JSON", .text("code=A"), 400), ("an array", .text("[]"), 400), ("a text", .text("\"a\""), 400),
    ("text after the object", .text("{}{}"), 400),
    ("a repeated name", .text(#"{"code":"A","code":"B"}"#), 400),
    ("a repeated name, escaped", .text(#"{"code":"A","\u0063ode":"B"}"#), 400),
    ("depth 10,000", .text(String(repeating: #"{"a":"#, count: 10_000)), 400),
    ("depth 10,000 of arrays", .text(#"{"a":"# + String(repeating: "[", count: 10_000)), 400),
    ("NUL, escaped", .text(#"{"code":"A\u0000","name":"A"}"#), 400),
    ("NUL", .text("{\"code\":\"A\0\",\"name\":\"A\"}"), 400),
    ("half a surrogate pair", .text(#"{"code":"\ud800","name":"A"}"#), 400),
    (
      "invalid UTF-8", .bytes(Array("{\"code\":\"".utf8) + [0xC3, 0x28] + Array("\",\"name\":\"A\"}".utf8)),
      400
    ),
    ("overlong UTF-8", .bytes(Array("{\"code\":\"".utf8) + [0xC0, 0xAF] + Array("\"}".utf8)), 400),
    ("a byte order mark", .bytes([0xEF, 0xBB, 0xBF] + Array("{}".utf8)), 400),
    ("1e400", .text(#"{"code":"A","name":"A","photo_id":1e400}"#), 422),
    ("1e999999999", .text(#"{"code":"A","name":"A","photo_id":1e999999999}"#), 422),
    ("a long code", .text(#"{"code":"\#(String(repeating: "A", count: 100_000))","name":"A"}"#), 422),
  ]

  @Test(arguments: bodies.indices) func `hostile bodies are refused, and nothing is written`(index: Int)
    async throws
  {
    let (name, body, status) = Self.bodies[index]
    let api = try await RecordRouteTests.open()
    let before = try await api.shop.rows()
    for target in [RecordRouteTests.machines, "/v1/batch"] {
      let answer = try await api.send(.post, target, body, as: api.member("admin"))
      #expect(
        answer.status == status || answer.status == 422 && target == "/v1/batch",
        "\(name): \(answer.text)"
      )
      #expect(answer.headers["content-type"] == "application/problem+json")
      #expect(answer.json["request_id"]?.string != nil)
    }
    #expect(try await api.shop.rows() == before)
  }

  @Test func `hostile texts in paths and queries find nothing`() async throws {
    let api = try await RecordRouteTests.open()
    let admin = try api.member("admin")
    for text in ["'%20or%201=1--", "%27;select%20pg_sleep(9)--", "..%2F..%2Fetc", "%F0%9F%92%A9", "*", "%25"]
    {
      #expect(try await api.get("\(RecordRouteTests.machines)/\(text)", as: admin).status == 404)
      #expect(try await api.get("\(RecordRouteTests.machines)?q=\(text)", as: admin).items.isEmpty)
      #expect(try await api.get("\(RecordRouteTests.machines)?code=\(text)", as: admin).items.isEmpty)
      #expect(try await api.get("\(RecordRouteTests.machines)?sort=\(text)", as: admin).status == 422)
      #expect(try await api.get("\(RecordRouteTests.machines)?after=\(text)", as: admin).status == 422)
      #expect(try await api.get("/v1/maintenance/\(text)", as: admin).status == 404)
    }
  }
}
