internal import Domain

/// The keys and addresses of a provider, fetched when they are needed and then kept.
///
/// A token with an unknown key id causes at most one request a minute, however many such tokens arrive.
actor KeySetCache {
  /// Seconds after which documents are fetched again.
  static let freshness: Int64 = 3_600
  /// Seconds for which documents are used if the provider does not answer.
  static let patience: Int64 = 86_400
  /// Minimum seconds between two requests for a key set, successful or not.
  static let pause: Int64 = 60

  private struct Documents: Sendable {
    let metadata: ProviderMetadata?
    let keys: KeySet
    let at: Int64
  }

  private let issuer: Issuer
  private let client: any ProviderClient
  private let now: @Sendable () -> Int64
  private var documents: Documents?
  private var attemptedAt: Int64?
  private var running: Task<Documents, any Error>?

  init(_ issuer: Issuer, client: any ProviderClient, now: @escaping @Sendable () -> Int64) {
    self.issuer = issuer
    self.client = client
    self.now = now
  }

  /// Returns the result of a search among the keys that may have signed a token; if it finds nothing, the result after
  /// a refresh.
  ///
  /// - Parameter id: the id of the key that the token names; nil if it names none.
  /// - Throws: `unavailable` if the keys cannot be fetched and none are kept; the fault that the search returns.
  func search(
    _ id: String?,
    _ search: @Sendable ([KeySet.Key]) -> IDTokenFault?
  ) async throws {
    guard let fault = search(try await current().keys.candidates(id)) else { return }
    // A provider that replaces a key gives the new one another id, if its keys have ids.
    guard fault == .unknownKey || id == nil, mayFetch else { throw fault }
    if let fault = search(try await fetch().keys.candidates(id)) { throw fault }
  }

  /// The addresses of a provider, and what its discovery document says about them.
  struct Endpoints: Sendable {
    let authorization: String
    let token: String
    let userinfo: String?
    /// The methods of the discovery document; nil without one.
    let tokenMethods: [String]?
    let namesItself: Bool
  }

  /// Returns the addresses of the provider.
  ///
  /// - Throws: `unavailable`.
  func endpoints() async throws -> Endpoints {
    let metadata = try await current().metadata
    guard let authorization = issuer.endpoints.authorization ?? metadata?.authorizationEndpoint,
      let token = issuer.endpoints.token ?? metadata?.tokenEndpoint
    else { throw DomainError(.unavailable, "the identity provider \(issuer.name) has no sign-in page") }
    return Endpoints(
      authorization: authorization,
      token: token,
      userinfo: issuer.endpoints.userinfo ?? metadata?.userinfoEndpoint,
      tokenMethods: metadata?.tokenMethods,
      namesItself: metadata?.namesItself ?? false
    )
  }

  /// Returns the address of userinfo; nil if the provider has none.
  ///
  /// - Throws: `unavailable`.
  func userinfo() async throws -> String? {
    if let configured = issuer.endpoints.userinfo { return configured }
    return try await current().metadata?.userinfoEndpoint
  }

  /// Returns the issuer in the provider's own spelling, which its tokens have.
  ///
  /// - Throws: `unavailable`.
  func spelling() async throws -> String { try await current().metadata?.issuer ?? issuer.issuer }

  private var mayFetch: Bool { attemptedAt.map { now() - $0 >= Self.pause || now() < $0 } ?? true }

  private func current() async throws -> Documents {
    guard let documents else {
      guard mayFetch || running != nil else {
        throw DomainError(.unavailable, "the identity provider \(issuer.name) did not answer")
      }
      return try await fetch()
    }
    let age = now() - documents.at
    guard age >= Self.freshness, mayFetch || running != nil else {
      guard age < Self.patience else {
        throw DomainError(.unavailable, "the keys of \(issuer.name) are too old")
      }
      return documents
    }
    do {
      return try await fetch()
    } catch {
      guard age < Self.patience else { throw error }
      return documents
    }
  }

  /// Fetches the documents. Concurrent callers share one request.
  private func fetch() async throws -> Documents {
    if let running { return try await running.value }
    attemptedAt = now()
    // A task of its own, because other callers wait for it when this caller is cancelled.
    let task = Task { [issuer, client, now] in
      try await Self.documents(of: issuer, client, at: now())
    }
    running = task
    defer { running = nil }
    let fetched = try await task.value
    documents = fetched
    return fetched
  }

  private static func documents(
    of issuer: Issuer,
    _ client: any ProviderClient,
    at time: Int64
  ) async throws -> Documents {
    let endpoints = issuer.endpoints
    var metadata: ProviderMetadata?
    if endpoints.needDiscovery {
      let document = try await client.document(ProviderMetadata.url(of: issuer.issuer))
      metadata = try ProviderMetadata(document, of: issuer.issuer)
    }
    guard let url = endpoints.keys ?? metadata?.keysURL else {
      throw DomainError(.unavailable, "the identity provider \(issuer.name) has no key set")
    }
    return Documents(metadata: metadata, keys: try await KeySet(client.document(url)), at: time)
  }
}
