package import FoundationEssentials

/// What an archive of a company contains. Written last, and read first.
package struct ArchiveManifest: Codable, Sendable {
  /// The version of the format, which an import must know.
  static let format = 1
  /// The name of its member.
  static let name = "manifest.json"

  /// A member with lines of JSON.
  package struct Lines: Codable, Sendable, Hashable {
    package let name: String
    package let rows: Int64
    package let bytes: Int
    /// SHA-256 in hexadecimal.
    package let sha256: String
  }

  /// A table that is not in the archive, although the company has rows in it.
  package struct LeftOut: Codable, Sendable, Hashable {
    package let table: String
    package let rows: Int64
    package let reason: String
  }

  /// An app that the company uses.
  package struct App: Codable, Sendable, Hashable {
    package let name: String
    package let version: Int
    package let hash: String
  }

  /// The company as it was.
  package struct Company: Codable, Sendable {
    package let id: UUID
    package let slug: String
    package let name: String
  }

  let format: Int
  /// The version of the program that wrote the archive.
  let program: String
  let exportedAt: String
  package let company: Company
  /// SHA-256 of the applied files of tables and changes, of the engine and of the apps.
  let schema: String
  let apps: [App]
  package let members: [Lines]
  /// The number of stored files, and their bytes.
  package let files: Int
  package let fileBytes: Int
  package let leftOut: [LeftOut]
  /// The columns with secrets, which no member has.
  let secrets: [String]
  /// The version of each workflow that the company follows.
  let follows: [String: Int]
  /// The digest of the newest seal of the history; nil if there is none.
  let seal: String?

  /// The number of rows of tables.
  package var rows: Int64 {
    members.reduce(0) { $0 + ($1.name.hasPrefix(Self.tables) ? $1.rows : 0) }
  }

  static let company = "company.jsonl"
  static let people = "people.jsonl"
  static let workflows = "workflows.jsonl"
  static let tables = "tables/"
  static let fileFolder = "files/"

  /// The name of the member with the rows of a table.
  static func member(of table: String) -> String { "\(tables)\(table).jsonl" }

  /// The table whose rows a member has; nil for another member.
  static func table(of member: String) -> String? {
    guard member.hasPrefix(tables), member.hasSuffix(".jsonl") else { return nil }
    return String(member.dropFirst(tables.count).dropLast(".jsonl".count))
  }
}
