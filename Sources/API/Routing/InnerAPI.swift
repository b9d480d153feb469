package import Domain
package import Engine
internal import FoundationEssentials

/// The routes of the API for the pages of this process.
///
/// A page changes nothing by itself: it sends the request that a program would send, so that rules, limits and kept
/// answers are those of the API.
package struct InnerAPI: Sendable {
  private let table: RouteTable
  private let kept: KeptAnswers?

  /// - Parameters:
  ///   - routes: the routes of the API, with their limits.
  ///   - kept: keeps the answers of requests with an idempotency key; nil to keep none.
  package init(_ routes: [Route], kept: KeptAnswers?) {
    table = RouteTable(routes)
    self.kept = kept
  }

  /// Sends a request in the name of a page's caller.
  ///
  /// - Parameters:
  ///   - segments: the parts of the path, not encoded.
  ///   - key: the idempotency key; nil for none.
  ///   - tag: the ETag that `If-Match` requires; nil for any.
  /// - Throws: the errors of the route.
  package func send(
    _ method: APIMethod,
    _ segments: [String],
    query: [(name: String, value: String)] = [],
    _ body: APIBody = .none,
    key: String? = nil,
    tag: String? = nil,
    for page: APIRequest
  ) async throws -> APIAnswer {
    let path = segments.map { "/" + $0.percentEncoded }.joined()
    guard case .route(let route, let parameters) = table.find(method, path) else {
      throw DomainError(.notFound)
    }
    var headers = page.headers
    headers["idempotency-key"] = route.operation.takes("Idempotency-Key") ? key : nil
    headers["if-match"] = tag
    headers["if-none-match"] = nil
    headers["content-type"] = nil
    var request = APIRequest(
      method: method,
      path: path,
      query: query,
      headers: headers,
      body: body,
      id: page.id,
      address: page.address,
      peer: page.peer,
      origin: page.origin,
      onWaiting: page.onWaiting
    )
    request.parameters = parameters
    if route.admission != .everybody { request.caller = page.caller }
    return try await API.answer(request, by: route, key: key, kept)
  }

  /// Sends a JSON object, as the method above.
  package func send(
    _ method: APIMethod,
    _ segments: [String],
    query: [(name: String, value: String)] = [],
    json: JSONObject,
    key: String? = nil,
    tag: String? = nil,
    for page: APIRequest
  ) async throws -> APIAnswer {
    let bytes = Array(JSONValue.object(json).text.utf8)
    return try await send(method, segments, query: query, .bytes(bytes), key: key, tag: tag, for: page)
  }
}
