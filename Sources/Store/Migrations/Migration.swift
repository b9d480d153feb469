internal import FettleSQL
internal import Secrets

/// A file that creates or changes tables, applied once and never edited afterwards.
package struct Migration: Sendable {
  /// The purpose of a file, given by its folder.
  package enum Kind: String, Sendable, CaseIterable {
    /// The baseline of one topic, in the folder `tables`: `tables/01_company.sql`.
    case tables
    /// A later step, in the folder `changes`, numbered without gaps: `changes/0001_longer_names.sql`.
    case change

    fileprivate var folder: String { self == .tables ? "tables" : "changes" }
    fileprivate var digits: Int { self == .tables ? 2 : 4 }
  }

  /// The owner of the schema: `core`, or an app's name.
  package let app: String
  package let kind: Kind
  /// The number of the file among those of the same app and kind.
  package let number: Int
  /// The topic, from the file name: `company` of `01_company.sql`.
  package let name: String
  /// The statements, as written.
  package let text: String

  /// SHA-256 of the text: an applied file must not change.
  package var checksum: [UInt8] { SHA256.hash(text) }

  /// The path in the folder of the app, such as `tables/01_company.sql`.
  package var path: String {
    let digits = String(number)
    let zeros = String(repeating: "0", count: max(0, kind.digits - digits.count))
    return "\(kind.folder)/\(zeros)\(digits)_\(name).sql"
  }

  /// False for a file that begins with `-- no transaction`. Such a file contains one statement that can be
  /// run again and that PostgreSQL refuses inside a transaction, such as `create index concurrently`.
  package var isTransactional: Bool { !text.hasPrefix("-- no transaction") }

  /// Reads kind, number and name from a path in the folder of an app; nil for other files.
  package init?(app: String, path: String, text: String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].hasSuffix(".sql"),
      let kind = Kind.allCases.first(where: { $0.folder == parts[0] })
    else { return nil }
    let stem = parts[1].dropLast(4)
    let digits = stem.prefix { $0.isASCII && $0.isNumber }
    guard digits.count == kind.digits, let number = Int(digits), stem.dropFirst(digits.count).first == "_",
      stem.count > digits.count + 1
    else { return nil }
    self.app = app
    self.kind = kind
    self.number = number
    self.name = String(stem.dropFirst(digits.count + 1))
    self.text = text
  }
}
