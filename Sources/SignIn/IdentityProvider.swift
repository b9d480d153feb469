package import Domain
internal import Glibc

/// An identity provider in use: its configuration, and the keys that were fetched from it.
package struct IdentityProvider: Sendable {
  package let issuer: Issuer
  let client: any ProviderClient
  let cache: KeySetCache
  let now: @Sendable () -> Int64

  /// - Parameter now: returns the Unix time in seconds.
  package init(
    _ issuer: Issuer,
    client: any ProviderClient,
    now: @escaping @Sendable () -> Int64 = { Int64(time(nil)) }
  ) {
    self.issuer = issuer
    self.client = client
    self.now = now
    cache = KeySetCache(issuer, client: client, now: now)
  }

  /// Returns the person whom an ID token identifies. The caller compares the nonce, or uses it up.
  ///
  /// - Throws: `sign_in_refused` with the fault in the details; `unavailable` if the provider's keys cannot be
  ///   fetched.
  package func verify(_ text: String) async throws -> VerifiedIdentity {
    do {
      let token = try IDToken(parsing: text, of: issuer)
      let (id, algorithm) = try token.keyChoice()
      let key = try await cache.key(id)
      try token.requireSignature(by: key, algorithm)
      return try token.identity(at: now())
    } catch let fault as IDTokenFault {
      throw fault.error
    }
  }
}
