internal import API
internal import Domain
internal import FoundationEssentials
internal import Hummingbird
internal import HummingbirdCore

extension HTTPAdapter {
  /// Finds the route of a request, reads its body and runs the handler.
  @concurrent
  func result(
    of incoming: IncomingRequest,
    _ request: Request,
    _ writer: borrowing ResponseWriter
  ) async -> Result {
    guard incoming.urlBytes <= configuration.limits.urlBytes else {
      return refused(incoming, DomainError(.requestTooLong, "the URL is too long"), status: 414)
    }
    guard let path = incoming.path else {
      return refused(incoming, DomainError(.malformedRequest, "the target of the request is not a path"))
    }
    // Programs that check the health may not name one.
    guard incoming.namesHost || health(path) != nil else {
      return refused(incoming, DomainError(.malformedRequest, "the request does not name one host"))
    }
    if incoming.isOptions, !hasOptions(incoming, path) { return preflight(incoming, path) }
    if incoming.method?.isSafe == true, let answer = health(path) { return Result(answer: answer) }
    guard let method = incoming.method, case .route(let route, let parameters) = api.table.find(method, path)
    else { return noRoute(incoming, path) }
    guard let query = PercentCoding.query(incoming.query) else {
      return refused(incoming, DomainError(.malformedRequest, "the query cannot be decoded"), route)
    }
    let deadline = HandlerDeadline(configuration.limits.handlerTime)
    let reader: BodyReader?
    let body: APIBody
    do {
      reader = try Self.reader(of: incoming, request, route.body, deadline)
      if reader != nil, incoming.headers["expect"]?.lowercased() == "100-continue" {
        try await writer.writeInformationalHead(HTTPResponse(status: .continue))
      }
      body = try await Self.body(route.body, reader, length: incoming.contentLength)
    } catch {
      let refusal = error as? DomainError ?? DomainError(.malformedRequest, "the body ended early")
      return refused(incoming, refusal, route, status: refusal.code == .timedOut ? 408 : nil)
    }
    guard enter() else {
      return refused(incoming, DomainError(.unavailable, "too many requests are in flight"), route)
    }
    defer { leave() }
    let outcome = await run(
      apiRequest(incoming, method, path, query, body, deadline),
      route,
      parameters,
      deadline
    )
    return Result(answer: outcome.answer, route: route, user: outcome.user, body: reader)
  }

  /// Returns the request for a handler.
  func apiRequest(
    _ incoming: IncomingRequest,
    _ method: APIMethod,
    _ path: String,
    _ query: [(name: String, value: String)],
    _ body: APIBody,
    _ deadline: HandlerDeadline
  ) -> APIRequest {
    APIRequest(
      method: method,
      path: path,
      query: query,
      headers: incoming.headers,
      body: body,
      id: incoming.id,
      address: incoming.address,
      peer: incoming.peer,
      origin: incoming.origin,
      onWaiting: { [self] isWaiting in
        isWaiting ? deadline.suspend() : deadline.extend()
        isWaiting ? leave() : enterAgain()
      }
    )
  }

  /// Runs a handler until its deadline.
  func run(
    _ request: APIRequest,
    _ route: Route,
    _ parameters: [String: String],
    _ deadline: HandlerDeadline
  ) async -> API.Outcome {
    deadline.extend()
    // Unstructured, because only the handler is cancelled, and not the task of its connection.
    let handler = Task { [api] in await api.outcome(of: request, route: route, parameters: parameters) }
    let number = deadlines.add(deadline) { handler.cancel() }
    defer { deadlines.remove(number) }
    return await withTaskCancellationHandler {
      await handler.value
    } onCancel: {
      handler.cancel()
    }
  }

  private func refused(
    _ incoming: IncomingRequest,
    _ error: DomainError,
    _ route: Route? = nil,
    status: Int? = nil
  ) -> Result {
    let request = apiRequest(
      incoming,
      incoming.method ?? .get,
      incoming.path ?? "/",
      PercentCoding.query(incoming.query) ?? [],
      .none,
      HandlerDeadline(configuration.limits.handlerTime)
    )
    return Result(answer: api.refusal(error, request, status: status), route: route)
  }

  /// Returns the answer for a path or method without a route.
  private func noRoute(_ incoming: IncomingRequest, _ path: String) -> Result {
    let methods = methods(of: path)
    guard !methods.isEmpty else { return refused(incoming, DomainError(.notFound, "there is no such path")) }
    var result = refused(incoming, DomainError(.methodNotAllowed))
    result.answer.headers["allow"] = Self.allow(methods)
    return result
  }

  /// Returns the answer to `OPTIONS`. To a script of an allowed origin, it names the methods and header fields.
  private func preflight(_ incoming: IncomingRequest, _ path: String) -> Result {
    let methods = methods(of: path)
    guard !methods.isEmpty else { return refused(incoming, DomainError(.notFound, "there is no such path")) }
    guard incoming.headers["access-control-request-method"] != nil else {
      return Result(answer: APIAnswer(status: 204, headers: ["allow": Self.allow(methods)]))
    }
    guard let origin = incoming.headers["origin"], crossOrigin.allows(origin) else {
      return refused(
        incoming,
        DomainError(.crossSiteRequest, "scripts of this origin may not use the API"),
        status: 403
      )
    }
    return Result(answer: APIAnswer(status: 204, headers: crossOrigin.preflight(methods: methods)))
  }

  /// True if a route of its own answers `OPTIONS`, and no browser asks for permission.
  private func hasOptions(_ incoming: IncomingRequest, _ path: String) -> Bool {
    guard incoming.headers["access-control-request-method"] == nil else { return false }
    if case .route = api.table.find(.options, path) { return true }
    return false
  }

  /// The methods of a path.
  private func methods(of path: String) -> [APIMethod] {
    if health(path) != nil { return [.get, .head] }
    return APIMethod.allCases.filter { method in
      if case .route = api.table.find(method, path) { true } else { false }
    }
  }

  private static func allow(_ methods: [APIMethod]) -> String {
    (methods.filter { $0 != .options }.map(\.rawValue) + ["OPTIONS"]).joined(separator: ", ")
  }
}
