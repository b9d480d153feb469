#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Sends requests with the access token, and exchanges the refresh token when it is time.
///
/// New tokens are stored before they are used: the server ends a session whose refresh token is used again after the new
/// tokens were. A lost answer is harmless: the same refresh token gets the same new tokens until one of these is used.
actor TokenKeeper {
  /// The time before the end of an access token at which it is exchanged.
  private static let margin: TimeInterval = 30

  private let transport: any Transport
  private let store: any TokenStore
  private let now: @Sendable () -> Date
  private var tokens: Tokens?
  private var refreshing: Task<Tokens, any Error>?

  init(_ transport: any Transport, _ store: any TokenStore, now: @escaping @Sendable () -> Date) throws {
    self.transport = transport
    self.store = store
    self.now = now
    tokens = try store.load()
  }

  /// True if there are tokens. The session may have ended on the server.
  var isSignedIn: Bool { tokens != nil }

  /// The access token; nil if nobody is signed in.
  var access: String? { tokens?.access }

  /// Stores the tokens of a new session; nil ends the session here.
  func replace(_ tokens: Tokens?) throws {
    try store.save(tokens)
    self.tokens = tokens
  }

  /// Sends a request without a credential.
  func sendOpenly(_ request: Request) async throws -> Response { try await transport.send(request) }

  /// Sends a request as the signed-in user.
  ///
  /// - Throws: ``ClientError`` with the kind `signedOut` if nobody is signed in, or the session has ended.
  func send(_ request: Request) async throws -> Response {
    guard var tokens else { throw Self.signedOut }
    if tokens.expiresAt.timeIntervalSince(now()) < Self.margin { tokens = try await refreshed(tokens) }
    let response = try await transport.send(Self.authorised(request, tokens))
    guard response.status == 401 else { return response }
    tokens = try await refreshed(tokens)
    return try await transport.send(Self.authorised(request, tokens))
  }

  /// Returns newer tokens than the given ones.
  private func refreshed(_ old: Tokens) async throws -> Tokens {
    guard let tokens else { throw Self.signedOut }
    guard tokens == old else { return tokens }
    if let refreshing { return try await refreshing.value }
    // Shared by all requests that wait for it: the end of one of them must not end it.
    let task = Task { try await refresh(old) }
    refreshing = task
    defer { refreshing = nil }
    return try await task.value
  }

  private func refresh(_ old: Tokens) async throws -> Tokens {
    let request = Request(.post, "/v1/auth/refresh", json: ["refresh_token": .string(old.refresh)])
    let response = try await transport.send(request)
    guard response.isSuccess else {
      let problem = response.problem
      guard problem.status == 401 || problem.code == "session_expired" else { throw problem.error }
      try replace(nil)
      throw Self.signedOut
    }
    let new = try Self.tokens(in: response.json(), now: now())
    try replace(new)
    return new
  }

  /// Returns the tokens in the answer about a session.
  static func tokens(in session: FieldValue, now: Date) throws(ClientError) -> Tokens {
    guard let access = session["access_token"]?.string, let seconds = session["expires_in"]?.integer else {
      throw ClientError(.invalidAnswer, "the answer to the sign-in has no tokens")
    }
    let refresh = session["refresh_token"]?.string ?? ""
    return Tokens(access: access, refresh: refresh, expiresAt: now.addingTimeInterval(Double(seconds)))
  }

  private static func authorised(_ request: Request, _ tokens: Tokens) -> Request {
    var request = request
    request.headers["authorization"] = "Bearer \(tokens.access)"
    return request
  }

  private static let signedOut = ClientError(.signedOut, "nobody is signed in", hint: "sign in")
}
