package import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// The nonces that native apps put into the ID tokens of identity providers. Each is accepted once, so that a
/// copied token cannot be used again.
package struct IdentityNonces: Sendable {
  /// The validity of a nonce in seconds.
  package static let life: Int32 = 600

  private let services: Services

  package init(_ services: Services) {
    self.services = services
  }

  /// Returns a new nonce and its time of expiry.
  package func make() async throws -> (nonce: String, expiresAt: Instant) {
    let nonce = Base64.encode(SecureRandom.bytes(32), alphabet: .url)
    let id = services.ids.next()
    let expiry = try await services.database.transaction { tx in
      try tx.value(
        "select core.begin_sign_in(\(id), 'nonce', \(SHA256.hash(nonce)), \(Self.life))",
        as: Instant.self
      )
    }
    return (nonce, expiry)
  }

  /// Uses up the nonce of an ID token. It stays used if the sign-in is refused afterwards.
  ///
  /// - Parameter given: the nonce that the app received, if the token has only its SHA-256 in hexadecimal digits, as
  ///   is usual with Apple; nil if the token has the nonce itself.
  /// - Throws: `sign_in_refused` if the nonce is not the token's, unknown, expired or used already.
  package func take(_ identity: VerifiedIdentity, given: String?) async throws {
    let nonce = given ?? identity.nonce
    let isOfToken = nonce == identity.nonce || Hex.encode(SHA256.hash(nonce)) == identity.nonce.lowercased()
    guard isOfToken else { throw Self.refusal }
    let isTaken = try await services.database.transaction { tx in
      try tx.value("select core.take_nonce(\(SHA256.hash(nonce)))", as: Bool.self)
    }
    guard isTaken else { throw Self.refusal }
  }

  private static let refusal = DomainError(
    .signInRefused,
    "the ID token is not accepted: its nonce is unknown, expired or used already",
    hint: "request a nonce with POST /v1/auth/nonce, and begin the sign-in again",
    details: ["fault": "nonce"]
  )
}
