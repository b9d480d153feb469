internal import Domain
internal import FoundationEssentials
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
  /// Takes one request of the address, and of the caller's account and company.
  ///
  /// - Returns: header fields that tell the client its limits.
  /// - Throws: `rate_limited` with `retry_after` in the details, in seconds.
  func take(_ request: APIRequest) async throws -> APIHeaders
}

/// The HTTP API, independent of the HTTP library.
package struct API: Sendable {
  package let table: RouteTable
  private let gate: any CallerGate
  private let limiter: (any RequestLimiter)?
  private let report: @Sendable (any Error, APIRequest) -> Void

  /// - Parameter report: called with every error that is not the client's.
  package init(
    routes: [Route],
    gate: any CallerGate,
    limiter: (any RequestLimiter)? = nil,
    report: @escaping @Sendable (any Error, APIRequest) -> Void = { _, _ in }
  ) {
    table = RouteTable(routes)
    self.gate = gate
    self.limiter = limiter
    self.report = report
  }

  /// Answers a request of a route. Errors become problem documents.
  package func answer(_ request: APIRequest, of route: Route, parameters: [String: String]) async -> APIAnswer {
    var request = request
    request.parameters = parameters
    var answer: APIAnswer
    do {
      answer = try await admitted(&request, to: route)
    } catch {
      answer = problem(error, request)
    }
    answer.headers["x-request-id"] = request.id.uuidString.lowercased()
    if answer.headers["cache-control"] == nil { answer.headers["cache-control"] = "no-store" }
    return answer
  }

  /// Returns the problem document for an error.
  package func problem(_ error: any Error, _ request: APIRequest) -> APIAnswer {
    let known =
      error as? DomainError ?? (error as? PostgresError).map { DomainError($0) }
      ?? DomainError(.internal, "the request failed")
    if [.unavailable, .internal].contains(known.category) { report(error, request) }
    return Problem.answer(known, request: request.id, isConditional: request.headers["if-match"] != nil)
  }

  private func admitted(_ request: inout APIRequest, to route: Route) async throws -> APIAnswer {
    if route.admission != .everybody { request.caller = try await gate.caller(of: request) }
    let limits = try await limiter?.take(request)
    try Self.require(route.admission, of: request)
    var answer = try await route.handler(request)
    for field in limits?.fields ?? [] { answer.headers.add(field.name, field.value) }
    return answer
  }

  private static func require(_ admission: Route.Admission, of request: APIRequest) throws {
    guard admission != .everybody, admission != .optional else { return }
    guard let caller = request.caller else {
      throw DomainError(.unauthenticated, "the request has no credential", hint: "sign in, or send a token")
    }
    if caller.kind == .guest, !request.method.isSafe { throw DomainError(.signUpRequired) }
    guard admission != .caller else { return }
    guard [.browser, .mobile, .visitor, .proxy].contains(caller.kind) else {
      throw DomainError(.forbidden, "this requires a session of a person", hint: "sign in as a person")
    }
    if admission == .recentSignIn, !caller.isStrong {
      throw DomainError(.unauthenticated, "this requires a recent sign-in", hint: "sign in again")
    }
  }
}
