package import FoundationEssentials

/// The code in a mail that verifies an address or resets a password, `ftm_<id and person>_<secret><checksum>`.
/// Only its ``hash`` is stored.
package struct MailToken: Sendable, Equatable {
  private static let kind = ClearToken.Kind(prefix: "ftm_", noun: "code")

  private let token: ClearToken

  private init(_ token: ClearToken) { self.token = token }

  /// Creates a code with a new secret.
  package static func make(id: UUID, user: UUID) -> MailToken { MailToken(ClearToken(kind, id, user)) }

  /// Parses a code.
  ///
  /// - Throws: `malformedToken`, without naming the part that is wrong.
  package static func parse(_ text: String) throws(SecretsError) -> MailToken {
    MailToken(try ClearToken(kind, parsing: text))
  }

  /// The id of the code's row.
  package var id: UUID { token.first }

  /// The person to whom the code was mailed.
  package var user: UUID { token.second }

  /// The whole code; mailed once, never stored.
  package var text: String { token.text }

  /// The SHA-256 of the whole code; the only part of it that is stored.
  package var hash: [UInt8] { token.hash }
}

extension MailToken: CustomStringConvertible, CustomReflectable {
  /// The code without its secret, for logs.
  package var description: String { "code \(id)" }

  package var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
