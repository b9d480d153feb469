package import Domain
package import Engine
package import FoundationEssentials
internal import Postgres
internal import Store

/// Finds the caller of a request.
package protocol CallerGate: Sendable {
  /// Returns the caller; nil without a credential.
  ///
  /// - Throws: `session_expired` or `unauthenticated` for a credential that is not valid, `cross_site_request`.
  func caller(of request: APIRequest) async throws -> Caller?
}

/// Limits the rate of requests.
package protocol RequestLimiter: Sendable {
  /// Takes one request of the client's network, before its credential is looked up.
  ///
  /// - Returns: the limits, for the header fields of the answer.
  /// - Throws: `rate_limited` with `limit` and `retry_after` in the details, the latter in seconds.
  func takeNetwork(_ request: APIRequest) async throws -> [RateStanding]

  /// Takes one request of the caller's account and company.
  ///
  /// - Returns, Throws: as ``takeNetwork(_:)``.
  func takeCaller(_ caller: Caller) async throws -> [RateStanding]
}

/// The HTTP API, independent of the HTTP library.
package struct API: Sendable {
  package let table: RouteTable
  private let gate: any CallerGate
  private let limiter: (any RequestLimiter)?
  private let kept: KeptAnswers?
  private let report: @Sendable (any Error, APIRequest) -> Void
  private let errorPage: ErrorPage?

  /// Returns the page that shows an error to a person.
  package typealias ErrorPage = @Sendable (DomainError, APIRequest) -> APIAnswer

  /// - Parameters:
  ///   - kept: keeps the answers of requests with an idempotency key; nil to keep none.
  ///   - report: called with every error that is not the client's.
  ///   - errorPage: shows errors of pages; nil for a server without pages.
  package init(
    routes: [Route],
    gate: any CallerGate,
    limiter: (any RequestLimiter)? = nil,
    kept: KeptAnswers? = nil,
    report: @escaping @Sendable (any Error, APIRequest) -> Void = { _, _ in },
    errorPage: ErrorPage? = nil
  ) {
    table = RouteTable(routes)
    self.gate = gate
    self.limiter = limiter
    self.kept = kept
    self.errorPage = errorPage
    self.report = report
  }

  /// The answer to a request, and the user who gets it.
  package struct Outcome: Sendable {
    package var answer: APIAnswer
    /// The user; nil without a credential, or with one that was refused.
    package let user: UUID?
  }

  /// Answers a request of a route. Errors become problem documents.
  package func answer(_ request: APIRequest, of route: Route, parameters: [String: String]) async -> APIAnswer
  {
    await outcome(of: request, route: route, parameters: parameters).answer
  }

  /// Answers a request of a route, as ``answer(_:of:parameters:)``.
  package func outcome(of request: APIRequest, route: Route, parameters: [String: String]) async -> Outcome {
    var request = request
    request.parameters = parameters
    var limits: [RateStanding] = []
    var answer: APIAnswer
    do {
      answer = try await admitted(&request, to: route, &limits)
    } catch {
      answer = problem(error, request, face: route.face, onError: route.onError)
    }
    for field in RateStanding.headers(limits).fields where answer.headers[field.name] == nil {
      answer.headers[field.name] = field.value
    }
    answer.headers["x-request-id"] = request.id.text
    if answer.headers["cache-control"] == nil { answer.headers["cache-control"] = "no-store" }
    return Outcome(answer: answer, user: request.caller?.user)
  }

  /// Returns the problem document for an error, the page that shows it, or the answer of the route.
  package func problem(
    _ error: any Error,
    _ request: APIRequest,
    face: Route.Face = .api,
    onError: (@Sendable (DomainError, APIRequest) -> APIAnswer?)? = nil
  ) -> APIAnswer {
    let known =
      error as? DomainError ?? (error as? PostgresError).map { DomainError($0) }
      ?? DomainError(error is CancellationError ? .timedOut : .internal, "the request failed")
    // A limit that was reached is the client's, not a failure of this server.
    if StatusOfCode.status(of: known.code) >= 500 { report(error, request) }
    if let answer = onError?(known, request) { return answer }
    if face == .page, let errorPage { return errorPage(known, request) }
    return Problem.answer(known, request: request.id, isConditional: request.headers["if-match"] != nil)
  }

  /// Returns the answer to a request that no route can answer: a page for a browser that shows one.
  ///
  /// - Parameter status: the status; nil for that of the error's code.
  package func refusal(_ error: DomainError, _ request: APIRequest, status: Int? = nil) -> APIAnswer {
    guard let errorPage, !request.path.hasPrefix("/v1/"), request.acceptsPages
    else { return Problem.answer(error, request: request.id, status: status) }
    if let place = Self.withoutSlash(request) {
      return APIAnswer(status: 308, headers: ["location": place, "cache-control": "no-store"])
    }
    var answer = errorPage(error, request)
    answer.status = status ?? answer.status
    return answer
  }

  /// Returns the address of a page that was written with a slash at its end; nil for another address. Two slashes in a
  /// row could name another server.
  private static func withoutSlash(_ request: APIRequest) -> String? {
    let path = request.path
    guard request.method.isSafe, path.count > 1, path.hasSuffix("/"), !path.contains("//"),
      !path.contains("\\")
    else {
      return nil
    }
    let query = request.query.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(
      separator: "&"
    )
    return path.dropLast() + (query.isEmpty ? "" : "?\(query)")
  }

  private func admitted(
    _ request: inout APIRequest,
    to route: Route,
    _ limits: inout [RateStanding]
  ) async throws -> APIAnswer {
    guard route.face != .asset else { return try await route.handler(request) }
    // The limit of the network comes first, because looking up an unknown credential costs a query.
    if let limiter { limits += try await limiter.takeNetwork(request) }
    if route.admission != .everybody { request.caller = try await gate.caller(of: request) }
    if let limiter, let caller = request.caller { limits += try await limiter.takeCaller(caller) }
    let key = route.keepsAnswer ? try WriteOptions.key(of: request) : nil
    return try await Self.answer(request, by: route, key: key, kept)
  }

  /// Answers a request whose caller is known: what the route requires of them and of the query, the kept answer of its
  /// key, and else the handler's.
  static func answer(_ request: APIRequest, by route: Route, key: String?, _ kept: KeptAnswers?) async throws
    -> APIAnswer
  {
    try require(route, of: request)
    try route.operation.requireParameters(request.query)
    if route.canBeTried, try StrictQuery(request).flag("dry_run") { return try await route.tryOut(request) }
    guard route.keepsAnswer, let kept, let key else { return try await route.handler(request) }
    return try await KeyedRequest(request, key: key).answer(kept) { try await route.handler(request) }
  }

  static func require(_ route: Route, of request: APIRequest) throws {
    let admission = route.admission
    guard admission != .everybody, admission != .optional else { return }
    guard let caller = request.caller else {
      throw DomainError(.unauthenticated, "the request has no credential", hint: "sign in, or send a token")
    }
    if caller.kind == .guest { try GuestAccess.require(request.method, route) }
    guard admission != .caller else { return }
    guard [.browser, .mobile, .visitor, .proxy].contains(caller.kind) else {
      throw DomainError(.forbidden, "this requires a session of a person", hint: "sign in as a person")
    }
    if admission == .recentSignIn, !caller.isStrong {
      throw DomainError(.unauthenticated, "this requires a recent sign-in", hint: "sign in again")
    }
  }
}
