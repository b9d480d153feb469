/// An authenticating proxy in front of the server, which names the user in a header.
package struct TrustedHeader: Sendable {
  /// The header with the e-mail address of the user.
  package let user: String
  /// The header with the slug of the company; nil to use each user's only company.
  package let company: String?
  /// True for the address of a proxy that is trusted.
  package let isTrusted: @Sendable (_ address: String) -> Bool

  package init(
    user: String,
    company: String? = nil,
    isTrusted: @escaping @Sendable (_ address: String) -> Bool
  ) {
    self.user = user
    self.company = company
    self.isTrusted = isTrusted
  }
}
