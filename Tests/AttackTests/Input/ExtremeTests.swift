import API
import Domain
import FoundationEssentials
import Testing

/// Extremes of every number, date and text of every route, one at a time in a request that is otherwise valid.
@Suite(.timeLimit(.minutes(60))) struct ExtremeTests {
  @Test func `no extreme of a number, date or text ends the process or is its fault`() async throws {
    let matrix = try await ExtremeMatrix.open()
    #expect(matrix.targets.count > 150)
    var sent = 0
    func check(_ answer: (status: Int, reason: String), _ target: ExtremeMatrix.Target, _ what: String) {
      sent += 1
      #expect(
        answer.status < 500,
        "\(target.method.rawValue) \(target.path), \(what.prefix(200)): \(answer.status) \(answer.reason.prefix(300))"
      )
    }
    for target in matrix.targets {
      for parameter in target.parameters(in: "path") {
        for text in Extreme.texts(parameter.schema) where !text.isEmpty && text != "../.." {
          check(await matrix.send(target, path: [parameter.name: text]), target, "\(parameter.name) \(text)")
        }
      }
      for parameter in target.parameters(in: "query") {
        for text in Extreme.texts(parameter.schema) {
          let answer = await matrix.send(target, query: [(parameter.name, text)])
          check(answer, target, "?\(parameter.name)=\(text)")
        }
      }
      let fields = target.parameters(in: "header").map { ($0.name, $0.schema) }
      for (name, schema) in fields + Self.headers(of: target) {
        // A header field has no control characters: the server refuses the request before there is a route.
        for text in Extreme.texts(schema)
        where !text.utf8.contains(where: { $0 < 0x20 }) && text.utf8.count < 8_000 {
          check(await matrix.send(target, headers: [(name, text)]), target, "\(name): \(text)")
        }
      }
      guard let (type, schema) = target.body, type == "application/json" else { continue }
      let (places, whole) = (BodyPlaces(root: matrix.document), matrix.json(schema))
      for (path, schema) in places.places(schema) {
        for value in Extreme.values(schema) {
          let text = places.setting(value, at: path[...], of: whole).text
          let answer = await matrix.send(target, body: .bytes(Array(text.utf8)))
          check(answer, target, text)
        }
      }
    }
    print("extremes: \(sent) requests")
    #expect(sent > 5_000)
    #expect(try await matrix.isServing())
  }

  /// The fields that the server reads on many routes.
  private static func headers(of target: ExtremeMatrix.Target) -> [(String, JSONObject)] {
    let conditions = target.method == .get ? ["if-none-match", "range"] : ["if-match", "idempotency-key"]
    return conditions.map { ($0, ["type": "string"]) }
  }
}
