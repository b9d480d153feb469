package import FoundationEssentials

/// A link that shows its bearer one record, `ftr_<company and link>_<secret><checksum>`.
package struct RecordLinkText: Sendable, Equatable {
  private static let kind = ClearToken.Kind(prefix: "ftr_", noun: "link to a record")

  private let token: ClearToken

  private init(_ token: ClearToken) { self.token = token }

  /// Creates a link with a new secret.
  package static func make(company: UUID, link: UUID) -> RecordLinkText {
    RecordLinkText(ClearToken(kind, company, link))
  }

  /// Parses a link.
  ///
  /// - Throws: `malformedToken`, without naming the part that is wrong.
  package static func parse(_ text: String) throws(SecretsError) -> RecordLinkText {
    RecordLinkText(try ClearToken(kind, parsing: text))
  }

  /// The company of the record.
  package var company: UUID { token.first }
  /// The id of the link.
  package var link: UUID { token.second }
  /// The whole link; shown once, never stored.
  package var text: String { token.text }
  /// The SHA-256 of the whole text; the only part of the link that is stored.
  package var hash: [UInt8] { token.hash }
}

extension RecordLinkText: CustomStringConvertible, CustomReflectable {
  /// The link without its secret, for logs.
  package var description: String { "link to a record of \(company)" }

  package var customMirror: Mirror { Mirror(self, children: ["company": company]) }
}
