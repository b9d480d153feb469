/// The token that a browser's page sends with changes (`X-CSRF-Token`), to prove that it could read an answer of
/// this server: an HMAC over the session.
package enum RequestForgeryToken {
  /// Returns the token of a subject, such as a session in one generation.
  package static func of(_ subject: String, key: Keys.Version) -> String {
    Base64.encode(HMACSHA256.code(for: Array("csrf\n\(subject)".utf8), key: key.bytes), alphabet: .url)
  }

  /// True if the token was made for the subject with one of the versions of the key.
  package static func isValid(_ token: String, for subject: String, keys: [Keys.Version]) -> Bool {
    keys.contains { constantTimeEqual(Array(token.utf8), Array(of(subject, key: $0).utf8)) }
  }
}
