internal import Domain

/// The identity providers of an installation.
package struct IdentityProviders: Sendable {
  /// The providers in the order of the file.
  package let all: [IdentityProvider]

  /// No providers: people sign in with passwords only.
  package static let none = IdentityProviders([])

  package init(_ all: [IdentityProvider]) { self.all = all }

  /// Returns the provider with a name.
  ///
  /// - Throws: `not_found`.
  package func named(_ name: String) throws -> IdentityProvider {
    guard let provider = all.first(where: { $0.issuer.name == name }) else {
      throw DomainError(
        .notFound,
        "there is no identity provider \(Quoted(name))",
        hint: "list the providers with GET /v1/auth/providers"
      )
    }
    return provider
  }

  /// Returns the name of the provider with an issuer; nil if it is not configured any more.
  package func name(of issuer: String) -> String? {
    all.first { Issuer.isSame($0.issuer.issuer, issuer) }?.issuer.name
  }
}
