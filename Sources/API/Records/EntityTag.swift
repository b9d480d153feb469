package import Domain
package import FoundationEssentials
internal import Secrets

/// The validator of a record: `"<epoch>.<version>.<digest>"`.
///
/// The version alone is not enough: computed columns change while it stays the same. The epoch changes when the
/// database is restored from a backup, which may use versions again.
package struct EntityTag: Sendable, Hashable {
  /// The header's value, in quotes.
  package let text: String

  /// - Parameter body: the representation; nil for the answer to a command, which is not one.
  package init(epoch: UUID, version: Int64, body: [UInt8]?) {
    let digest = body.map { SHA256.hash($0).prefix(4).map(Self.hexadecimal).joined() } ?? "-"
    text = "\"\(Self.beginning(of: epoch)).\(version).\(digest)\""
  }

  /// Returns true if the value of `If-None-Match` names this tag, so that the client has the representation.
  package func matches(_ ifNoneMatch: String?) -> Bool {
    guard let ifNoneMatch else { return false }
    return Self.list(ifNoneMatch).contains { $0 == text || $0 == "*" }
  }

  /// The version that a command requires.
  package struct Precondition: Sendable, Hashable {
    /// The beginning of the epoch; nil for any.
    package let epoch: String?
    /// The version; nil for any.
    package let version: Int64?

    /// Reads `If-Match`. Computed columns are not compared, so the digest is ignored.
    ///
    /// - Parameter ifMatch: the header's value; nil and `*` accept every version.
    /// - Throws: `stale` for a tag that is not of a record, since no record has it; `invalid_input` for several tags.
    package init(_ ifMatch: String?) throws(DomainError) {
      guard let ifMatch, ifMatch != "*" else {
        (epoch, version) = (nil, nil)
        return
      }
      let tags = EntityTag.list(ifMatch)
      guard tags.count == 1, let tag = tags.first else {
        throw DomainError(.invalidInput, "If-Match has \(tags.count) tags", hint: "send one tag")
      }
      let parts = tag.dropFirst().dropLast().split(separator: ".", omittingEmptySubsequences: false)
      guard tag.hasPrefix("\""), tag.hasSuffix("\""), parts.count == 3, parts[0].utf8.count == 8,
        let version = Int64(parts[1]), version > 0
      else { throw DomainError(.stale, "no record has the tag of If-Match") }
      (epoch, self.version) = (String(parts[0]), version)
    }
  }

  /// Returns the tags of a list. A proxy that compresses makes tags weak, which changes nothing here.
  private static func list(_ value: String) -> [String] {
    value.split(separator: ",").map { part in
      let tag = String(part).trimmingSpaces()
      return tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag
    }
  }

  private static func beginning(of epoch: UUID) -> String { String(epoch.text.prefix(8)) }

  private static func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return digits.utf8.count == 1 ? "0\(digits)" : digits
  }
}
