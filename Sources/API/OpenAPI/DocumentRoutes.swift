internal import Domain
package import Engine

/// The route of the OpenAPI document.
package struct DocumentRoutes: Sendable {
  private let services: Services
  private let others: [Route]

  /// - Parameter others: all other routes of the server.
  package init(_ services: Services, describing others: [Route]) {
    self.services = services
    self.others = others
  }

  /// The route.
  package var routes: [Route] {
    let others = others
    let cache = DocumentCache(services) { others + [Self.route { _ in APIAnswer() }] }
    return [
      Self.route { request in
        let document = try await cache.current()
        let headers: APIHeaders = ["etag": document.tag, "cache-control": "public, max-age=60"]
        let known = request.headers.all("if-none-match").flatMap { $0.split(separator: ",") }
          .map { $0.trimmingPrefix(while: \.isWhitespace) }
        if known.contains(where: { $0 == document.tag || $0 == "W/\(document.tag)" || $0 == "*" }) {
          return APIAnswer(status: 304, headers: headers)
        }
        var answer = APIAnswer(headers: headers, body: .bytes(document.bytes))
        answer.headers["content-type"] = "application/json"
        return answer
      }
    ]
  }

  private static func route(_ handler: @escaping APIHandler) -> Route {
    Route(
      .get,
      "/v1/openapi.json",
      Operation(
        "showDocument",
        tag: "about",
        "Show this OpenAPI document",
        parameters: [
          Operation.Parameter("If-None-Match", in: .header, "The `ETag` of a document that the client has")
        ],
        answers: [Operation.Answer(200, "The document", .anyObject)]
      ),
      admission: .everybody,
      handler: handler
    )
  }
}
