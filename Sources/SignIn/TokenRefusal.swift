internal import Domain

/// The refusal of a provider: of its token endpoint (RFC 6749, section 5.2), or of its page (section 4.1.2.1).
struct TokenRefusal {
  /// The error code, such as `invalid_grant`; nil if the answer has none that is a short word. It goes into audit and
  /// log.
  let code: String?
  /// The status of the token endpoint; nil for the page.
  let status: Int?

  init(code: String) {
    self.code = Self.word(code)
    status = nil
  }

  init(_ answer: ProviderAnswer) {
    status = answer.status
    code = answer.json?["error"]?.string.flatMap(Self.word)
  }

  /// True if the provider does not accept this server as the client.
  var isOfClient: Bool { status == 401 || code == "invalid_client" || code == "unauthorized_client" }

  /// The reason as a word.
  var word: String {
    if let code { return code }
    guard let status else { return "refused" }
    return status == 200 ? "no_id_token" : "status_\(status)"
  }

  /// Returns the refusal of a sign-in, with the reason in the details.
  ///
  /// - Parameter place: `token` or `page`.
  func error(of issuer: Issuer, at place: String) -> DomainError {
    DomainError(
      .signInRefused,
      "\(issuer.label) did not confirm the sign-in: \(word)",
      hint: isOfClient ? "ask the operator to run `fettle api check-provider`" : "begin the sign-in again",
      details: ["fault": .string("\(place)_\(word)")]
    )
  }

  private static func word(_ text: String) -> String? {
    let isWord = text.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "_") }
    return isWord && (1...40).contains(text.utf8.count) ? text : nil
  }
}
