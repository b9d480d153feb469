package import FoundationEssentials

/// A record as the JSON that PostgreSQL wrote, without its internal columns.
package struct RecordText: Sendable {
  /// The JSON object.
  package let text: String
  /// The version of the record.
  package let version: Int64
  /// Identifies the timeline of the data; a restore from a backup changes it.
  package let epoch: UUID

  /// Returns a JSON object with one more member, which has a list of names.
  static func splicing(_ names: [String], as member: String, into text: String) -> String {
    guard let end = text.lastIndex(of: "}") else { return text }
    let separator = text[..<end].last { !$0.isWhitespace } == "{" ? "" : ","
    // Names of transitions and actions have only letters, digits and underscores.
    let list = names.map { "\"\($0)\"" }.joined(separator: ",")
    return "\(text[..<end])\(separator)\"\(member)\":[\(list)]}"
  }
}

/// A page of a list as the JSON that PostgreSQL wrote.
package struct RecordTextPage: Sendable {
  /// The JSON objects.
  package let records: [String]
  /// The value of ``RecordQuery/after`` for the next page; nil on the last page.
  package let next: String?
}
