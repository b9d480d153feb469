/// A person whom an identity provider has identified, after all checks of the provider's token.
package struct VerifiedIdentity: Sendable, Hashable {
  /// The identity provider: the claim `iss` of its tokens.
  package let issuer: String
  /// The provider's id of the person: the claim `sub`. Together with ``issuer`` it is the identity, never the
  /// email address.
  package let subject: String
  /// The email address that the token names, verified or not; nil if there is none.
  package let email: EmailAddress?
  /// True if the provider has verified the address, and its addresses are trusted.
  package let isEmailVerified: Bool
  /// The person's name at the provider; nil if the token has none that is valid.
  package let name: DisplayName?
  /// The nonce of the token. It proves nothing until it is compared or used up.
  package let nonce: String

  package init(
    issuer: String,
    subject: String,
    email: EmailAddress?,
    isEmailVerified: Bool,
    name: DisplayName?,
    nonce: String
  ) {
    self.issuer = issuer
    self.subject = subject
    self.email = email
    self.isEmailVerified = isEmailVerified
    self.name = name
    self.nonce = nonce
  }

  /// The address if it is verified; nil otherwise.
  package var verifiedEmail: EmailAddress? { isEmailVerified ? email : nil }
}
