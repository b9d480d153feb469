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
  /// - Parameter accessToken: the token for userinfo, which is asked if the ID token lacks the address or the name; nil
  ///   for none.
  /// - Throws: `sign_in_refused` with the fault in the details; `unavailable` if the provider's keys cannot be
  ///   fetched.
  package func verify(_ text: String, accessToken: String? = nil) async throws -> VerifiedIdentity {
    do {
      let token = try IDToken(parsing: text, of: issuer)
      let (id, algorithm) = try token.keyChoice()
      try await cache.search(id) { keys in token.fault(ofSignatureBy: keys, algorithm) }
      let person = try token.person(at: now(), issuer: try await cache.spelling())
      return try await identity(of: person, accessToken)
    } catch let fault as IDTokenFault {
      throw fault.error
    }
  }

  /// Returns a person with the address and the name: from the ID token, else from userinfo.
  ///
  /// - Throws: ``IDTokenFault/userinfoSubject``.
  private func identity(of person: IDToken.Person, _ accessToken: String?) async throws -> VerifiedIdentity {
    var documents = [person.claims]
    var finding = issuer.emailTrust.find(in: documents)
    var isUnread = false
    if let accessToken, finding.fault != nil || Self.name(in: documents) == nil,
      let url = try await cache.userinfo()
    {
      if let more = await userinfo(url, accessToken) {
        guard more["sub"]?.string == person.subject else { throw IDTokenFault.userinfoSubject }
        documents.append(more)
        finding = issuer.emailTrust.find(in: documents)
      } else {
        isUnread = finding.fault != nil
      }
    }
    return VerifiedIdentity(
      issuer: person.issuer,
      subject: person.subject,
      email: finding.email,
      addressFault: isUnread ? .userinfo : finding.fault,
      name: Self.name(in: documents),
      nonce: person.nonce
    )
  }

  /// Returns the first name in documents that is valid.
  private static func name(in documents: [JSONObject]) -> DisplayName? {
    documents.lazy.compactMap { $0["name"]?.string.flatMap { try? DisplayName(parsing: $0) } }.first
  }

  /// Returns the claims of userinfo; nil if they cannot be read: a known person signs in without them.
  private func userinfo(_ url: String, _ accessToken: String) async -> JSONObject? {
    let request = ProviderRequest(url, authorization: "Bearer \(accessToken)")
    guard let answer = try? await client.send(request), answer.status == 200 else { return nil }
    return answer.json
  }
}
