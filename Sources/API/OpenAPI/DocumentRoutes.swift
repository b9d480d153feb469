internal import Domain
package import Engine

/// The route of the OpenAPI document.
package struct DocumentRoutes: Sendable {
  private let cache: DocumentCache

  /// - Parameter others: all other routes of the server.
  package init(_ services: Services, describing others: [Route]) {
    cache = DocumentCache(services) { others + [Self.route { _ in APIAnswer() }] }
  }

  /// Makes the document, so that the first request does not wait for it.
  package func prepare() async throws { _ = try await cache.current() }

  /// The route.
  package var routes: [Route] {
    let cache = cache
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
