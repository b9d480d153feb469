internal import Domain

/// The claims of a provider about e-mail addresses that this installation believes, as the operator decides.
package struct EmailTrust: Sendable, Equatable {
  /// The claim with the address.
  package var claim: String
  /// True if the operator vouches for addresses without a statement of the provider. It never overrules a provider that
  /// calls an address unverified.
  package var vouches: Bool
  /// False to treat every address as unverified, for providers at which people can write any address.
  package var isTrusted: Bool

  package init(claim: String = "email", vouches: Bool = false, isTrusted: Bool = true) {
    self.claim = claim
    self.vouches = vouches
    self.isTrusted = isTrusted
  }

  /// The result of a search for the person's address.
  struct Finding {
    /// The address, verified or not; nil if there is none.
    let email: EmailAddress?
    /// The reason why the address is not verified; nil if it is.
    let fault: VerifiedIdentity.AddressFault?
  }

  /// Returns the address in documents about one person: the first one with a statement whether it is verified, else the
  /// first one.
  ///
  /// The address and the statement about it are taken from the same document. Otherwise one address would be
  /// verified by what another document says of another address.
  func find(in documents: [JSONObject]) -> Finding {
    let findings = documents.map(finding)
    return findings.first { $0.fault == nil || $0.fault == .unverified } ?? findings.first { $0.email != nil }
      ?? findings.first { $0.fault != .missing } ?? Finding(email: nil, fault: .missing)
  }

  private func finding(in document: JSONObject) -> Finding {
    guard let text = document[claim]?.string, !text.isEmpty else {
      return Finding(email: nil, fault: .missing)
    }
    // An address that is not valid is left out: the identity is the subject.
    guard let email = try? EmailAddress(parsing: text) else { return Finding(email: nil, fault: .invalid) }
    guard isTrusted else { return Finding(email: email, fault: .untrusted) }
    switch statement(of: document, about: email) {
    case true?: return Finding(email: email, fault: nil)
    case false?: return Finding(email: email, fault: .unverified)
    case nil: return Finding(email: email, fault: vouches ? nil : .unstated)
    }
  }

  /// Returns whether the provider has verified the address; nil if it does not say.
  ///
  /// The claim `email_verified` speaks of the claim `email`, not of another claim with an address, which people may be
  /// able to change.
  private func statement(of document: JSONObject, about email: EmailAddress) -> Bool? {
    guard let value = document["email_verified"], !value.isNull else { return nil }
    let named = document["email"]?.string.flatMap { try? EmailAddress(parsing: $0) }
    guard claim == "email" || named == email else { return nil }
    // Some providers write the truth as text.
    return value.bool ?? (value.string == "true")
  }
}
