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

  /// Whether a database in which a text with this checksum was applied has what this migration makes.
  func isApplied(as applied: [UInt8]) -> Bool {
    if applied == checksum { return true }
    let hex = applied.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    return Self.releasedBefore["\(app) \(number)", default: []].contains(hex)
  }

  /// Checksums of texts that were released once and make the same: a released migration was edited, by mistake.
  private static let releasedBefore: [String: [String]] = [
    // It asked for the open claim in three places, where one function does now.
    "core 24": ["d2d9975b747b037f3b1e86c9bebbb898d35d1ac488b6364545a6cd057225a8f7"],
    // It read claims of whatever week already, as migration 42 has it.
    "core 40": ["66ff7358c366c4b1ba49619ae085eeb6f2bc2f87c79a949faddda1259b813e66"],
    // It knew barren claims already, as migration 46 has them.
    "core 43": ["52850862c70ce9e1adea2859f3e092654b8fa9fc375c742801f1f3b8f1ddf7d4"],
    // It did not expect that a database has it from that text of 43.
    "core 46": ["0f5898c534c3fbf28739545911d657f97e8b1a50d75b495c51245ec83071042f"],
  ]

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
