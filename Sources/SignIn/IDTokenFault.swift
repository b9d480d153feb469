package import Domain

/// The reason why an ID token is refused.
package enum IDTokenFault: String, Error, Sendable, CaseIterable {
  case malformed
  case algorithm
  case header
  case unknownKey = "unknown_key"
  case signature
  case issuer
  case subject
  case audience
  case authorizedParty = "authorized_party"
  case expired
  case notYetValid = "not_yet_valid"
  case issuedInFuture = "issued_in_future"
  case issuedTooLongAgo = "issued_too_long_ago"
  case times
  case nonce
  case userinfoSubject = "userinfo_subject"

  /// The reason as a clause.
  package var reason: String {
    switch self {
    case .malformed: "it is not a signed token"
    case .algorithm: "its algorithm is not one that is allowed"
    case .header: "its header has fields that are not allowed"
    case .unknownKey: "the provider has no such key"
    case .signature: "its signature is wrong"
    case .issuer: "it is from another issuer"
    case .subject: "it names no person"
    case .audience: "it is for another client"
    case .authorizedParty: "it was issued to another client"
    case .expired: "it has expired"
    case .notYetValid: "it is not valid yet"
    case .issuedInFuture: "it was issued in the future"
    case .issuedTooLongAgo: "it was issued more than ten minutes ago"
    case .times: "its times are missing"
    case .nonce: "its nonce is missing or wrong"
    case .userinfoSubject: "the userinfo that belongs to it is of another person"
    }
  }

  /// The error for the client. The reason helps developers of clients, and does not help to forge a token.
  package var error: DomainError {
    DomainError(
      .signInRefused,
      "the ID token is not accepted: \(reason)",
      hint: "begin the sign-in again",
      details: ["fault": .string(rawValue)]
    )
  }
}
