internal import Domain

/// The claims of an ID token (OpenID Connect Core 1.0, section 3.1.3.7), each checked.
struct IDToken: Sendable {
  /// Seconds by which the clocks of the provider and of this server may differ.
  static let skew: Int64 = 60
  /// Maximum age of a token in seconds.
  static let age: Int64 = 600

  /// The person of a token, with all its claims.
  struct Person: Sendable {
    let issuer: String
    let subject: String
    let nonce: String
    let claims: JSONObject
  }

  private let token: CompactToken
  private let issuer: Issuer

  /// - Throws: ``IDTokenFault/malformed``.
  init(parsing text: String, of issuer: Issuer) throws(IDTokenFault) {
    token = try CompactToken(parsing: text)
    self.issuer = issuer
  }

  /// Returns the id of the key and the algorithm that the header names. The id is nil if it names none.
  ///
  /// The header is under the control of the sender. It may choose among the provider's keys, but not bring its
  /// own, and an algorithm that is not configured is refused before any key is looked at.
  func keyChoice() throws(IDTokenFault) -> (id: String?, algorithm: Issuer.Algorithm) {
    let header = token.header
    guard let name = header["alg"]?.string, let algorithm = Issuer.Algorithm(rawValue: name),
      issuer.algorithms.contains(algorithm)
    else { throw .algorithm }
    let isIDToken = header["typ"].map { $0.string?.lowercased() == "jwt" } ?? true
    guard isIDToken, header["crit"] == nil, header["jwk"] == nil else { throw .header }
    guard let field = header["kid"] else { return (nil, algorithm) }
    guard let id = field.string, (1...255).contains(id.utf8.count) else { throw .unknownKey }
    return (id, algorithm)
  }

  /// Returns the fault of the signature; nil if it is one of a key.
  func fault(ofSignatureBy keys: [KeySet.Key], _ algorithm: Issuer.Algorithm) -> IDTokenFault? {
    guard !keys.isEmpty else { return .unknownKey }
    let fitting = keys.filter { $0.algorithm == algorithm }
    guard !fitting.isEmpty else { return .algorithm }
    return fitting.contains { $0.isValid(token.signature, for: token.signed) } ? nil : .signature
  }

  /// Returns the person after checking all claims but the value of the nonce.
  ///
  /// - Parameters:
  ///   - now: the Unix time in seconds.
  ///   - name: the issuer in the provider's own spelling.
  func person(at now: Int64, issuer name: String) throws(IDTokenFault) -> Person {
    let claims = token.payload
    guard let named = claims["iss"]?.string, named == name || issuer.aliases.contains(named) else {
      throw .issuer
    }
    guard let subject = claims["sub"]?.string, (1...255).contains(subject.utf8.count),
      subject.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
    else { throw .subject }
    try requireAudience(claims)
    try requireTimes(claims, now)
    // A logout token has the same issuer, audience and keys.
    guard claims["events"] == nil else { throw .malformed }
    guard let nonce = claims["nonce"]?.string, (1...255).contains(nonce.utf8.count) else { throw .nonce }
    return Person(issuer: name, subject: subject, nonce: nonce, claims: claims)
  }

  private func requireAudience(_ claims: JSONObject) throws(IDTokenFault) {
    let audiences: [String]
    switch claims["aud"] {
    case .string(let one): audiences = [one]
    case .array(let several): audiences = several.compactMap(\.string)
    default: throw .audience
    }
    guard audiences.contains(where: issuer.clientIDs.contains) else { throw .audience }
    guard let party = claims["azp"] else {
      // Among several audiences, only the authorized party is known to be the one that asked for the token.
      guard audiences.count == 1 else { throw .authorizedParty }
      return
    }
    guard let party = party.string, issuer.clientIDs.contains(party) else { throw .authorizedParty }
  }

  private func requireTimes(_ claims: JSONObject, _ now: Int64) throws(IDTokenFault) {
    guard let expiry = try Self.time(claims["exp"]), let issued = try Self.time(claims["iat"]) else {
      throw .times
    }
    guard now < expiry + Self.skew else { throw .expired }
    if let start = try Self.time(claims["nbf"]), now < start - Self.skew { throw .notYetValid }
    guard issued <= now + Self.skew else { throw .issuedInFuture }
    guard now - issued <= Self.age + Self.skew else { throw .issuedTooLongAgo }
  }

  /// Returns a Unix time in whole seconds; nil if there is none.
  private static func time(_ claim: JSONValue?) throws(IDTokenFault) -> Int64? {
    guard let claim else { return nil }
    // Up to the year 9999, so that no sum overflows.
    guard let seconds = claim.number?.approximate, (0...253_402_300_799).contains(seconds) else {
      throw .times
    }
    return Int64(seconds)
  }
}
