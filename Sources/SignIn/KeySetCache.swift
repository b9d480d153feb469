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

  /// Returns the key with an id; nil if the provider has none, also after a refresh.
  ///
  /// - Throws: `unavailable` if the keys cannot be fetched and none are kept.
  func key(_ id: String) async throws -> KeySet.Key? {
    let known = try await current()
    if let key = known.keys.key(id) { return key }
    guard mayFetch else { return nil }
    return try await fetch().keys.key(id)
  }

  /// Returns the addresses of the provider.
  ///
  /// - Throws: `unavailable`.
  func endpoints() async throws -> (authorization: String, token: String, namesItself: Bool) {
    let metadata = try await current().metadata
    guard let authorization = issuer.endpoints.authorization ?? metadata?.authorizationEndpoint,
      let token = issuer.endpoints.token ?? metadata?.tokenEndpoint
    else { throw DomainError(.unavailable, "the identity provider \(issuer.name) has no sign-in page") }
    return (authorization, token, metadata?.namesItself ?? false)
  }

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
    if endpoints.keys == nil || endpoints.authorization == nil || endpoints.token == nil {
      let document = try await client.get(ProviderMetadata.url(of: issuer.issuer))
      metadata = try ProviderMetadata(document, of: issuer.issuer)
    }
    guard let url = endpoints.keys ?? metadata?.keysURL else {
      throw DomainError(.unavailable, "the identity provider \(issuer.name) has no key set")
    }
    return Documents(metadata: metadata, keys: try await KeySet(client.get(url)), at: time)
  }
}
