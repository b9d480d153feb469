internal import FettleSQL
internal import Secrets

/// One forward-only step of a schema: a numbered file that is applied once and never changed afterwards.
package struct Migration: Sendable {
  /// Whose schema it belongs to: `core`, `report`, or an app's name.
  package let app: String
  /// Its place in the order of that app, counted from 1 without gaps.
  package let number: Int
  /// What it does, from its file name: `people` of `core_0002_people.sql`.
  package let name: String
  /// The statements, as written.
  package let text: String

  /// SHA-256 of the text: a file that was applied must stay as it was.
  package var checksum: [UInt8] { SHA256.hash(text) }

  /// False for a file whose first line is `-- no transaction`: it holds one re-runnable statement, such as
  /// `create index concurrently`, that PostgreSQL refuses inside a transaction.
  package var isTransactional: Bool { !text.hasPrefix("-- no transaction") }

  /// Reads the number and the name from a file name such as `core_0002_people.sql` or, in an app's own folder,
  /// `0002_people.sql`; nil for other files.
  package init?(app: String, fileName: String, text: String) {
    guard fileName.hasSuffix(".sql") else { return nil }
    let prefix = app + "_"
    let rest = fileName.dropFirst(fileName.hasPrefix(prefix) ? prefix.count : 0).dropLast(4)
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    guard digits.count == 4, let number = Int(digits), rest.dropFirst(4).first == "_" else { return nil }
    self.app = app
    self.number = number
    self.name = String(rest.dropFirst(5))
    self.text = text
  }

  /// The migrations in a folder that the binary carries.
  package static func embedded(app: String, folder: String) -> [Migration] {
    SQLFiles.below(folder)
      .compactMap { Migration(app: app, fileName: $0.name, text: $0.text) }
      .sorted { $0.number < $1.number }
  }
}
