/// A person whom an identity provider has identified, after all checks of the provider's token.
package struct VerifiedIdentity: Sendable, Hashable {
  /// The reason why the provider's address of a person is not one that it has verified.
  package enum AddressFault: String, Sendable, CaseIterable {
    case missing = "email_missing"
    case invalid = "email_invalid"
    case unverified = "email_unverified"
    case unstated = "email_unstated"
    case untrusted = "email_untrusted"
    case userinfo = "userinfo_unavailable"

    /// The reason as a clause.
    package var reason: String {
      switch self {
      case .missing: "it names no address"
      case .invalid: "the address that it names is not valid"
      case .unverified: "it says that the address is not verified"
      case .unstated: "it does not say whether the address is verified"
      case .untrusted: "its addresses are not trusted here"
      case .userinfo: "its ID token names no verified address, and its userinfo cannot be read"
      }
    }
  }

  /// The identity provider: the claim `iss` of its tokens.
  package let issuer: String
  /// The provider's id of the person: the claim `sub`. Together with ``issuer`` it is the identity, never the
  /// email address.
  package let subject: String
  /// The email address that the provider names, verified or not; nil if there is none.
  package let email: EmailAddress?
  /// The reason why the address is not one that the provider has verified; nil if it is.
  package let addressFault: AddressFault?
  /// The person's name at the provider; nil if there is none that is valid.
  package let name: DisplayName?
  /// The nonce of the token. It proves nothing until it is compared or used up.
  package let nonce: String

  package init(
    issuer: String,
    subject: String,
    email: EmailAddress?,
    addressFault: AddressFault?,
    name: DisplayName?,
    nonce: String
  ) {
    self.issuer = issuer
    self.subject = subject
    self.email = email
    self.addressFault = email == nil ? addressFault ?? .missing : addressFault
    self.name = name
    self.nonce = nonce
  }

  /// Creates an identity with an address that is verified or not.
  package init(
    issuer: String,
    subject: String,
    email: EmailAddress?,
    isEmailVerified: Bool,
    name: DisplayName?,
    nonce: String
  ) {
    let fault = isEmailVerified ? nil : AddressFault.unverified
    self.init(issuer: issuer, subject: subject, email: email, addressFault: fault, name: name, nonce: nonce)
  }

  /// True if the provider has verified the address, and its addresses are trusted.
  package var isEmailVerified: Bool { addressFault == nil }

  /// The address if it is verified; nil otherwise.
  package var verifiedEmail: EmailAddress? { isEmailVerified ? email : nil }
}
