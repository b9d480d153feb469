package import FoundationEssentials

/// A link that gives its bearer access to one plan, `fts_<company and owner>_<secret><checksum>`.
///
/// The ids of company and owner are in clear, because rows that are private to their owner cannot be looked
/// up without both.
package struct ShareLink: Sendable, Equatable {
  private static let kind = ClearToken.Kind(prefix: "fts_", noun: "share link")

  private let token: ClearToken

  private init(_ token: ClearToken) { self.token = token }

  /// Creates a link with a new secret.
  package static func make(company: UUID, owner: UUID) -> ShareLink {
    ShareLink(ClearToken(kind, company, owner))
  }

  /// Parses a link.
  ///
  /// - Throws: `malformedToken`, without naming the part that is wrong.
  package static func parse(_ text: String) throws(SecretsError) -> ShareLink {
    ShareLink(try ClearToken(kind, parsing: text))
  }

  /// The company of the plan.
  package var company: UUID { token.first }

  /// The owner of the plan.
  package var owner: UUID { token.second }

  /// The whole link; shown once, never stored.
  package var text: String { token.text }

  /// The SHA-256 of the whole text; the only part of the link that is stored.
  package var hash: [UInt8] { token.hash }
}

extension ShareLink: CustomStringConvertible, CustomReflectable {
  /// The link without its secret, for logs.
  package var description: String { "share link of \(owner)" }

  package var customMirror: Mirror { Mirror(self, children: ["company": company]) }
}
