internal import Domain
internal import Store

/// What an import is told: which column of the file fills which column of the type, and what is the same for all.
package struct ImportPlan: Sendable {
  /// The type whose records are made.
  package let type: String
  /// Column of the type to heading of the file; empty: each heading that is a column fills it. `id` names the
  /// record, so that one that exists is changed, and `version` what it was at.
  package let mapping: [(column: String, heading: String)]
  /// Column of the type to a fixed value; `status` names the status the records have.
  package let fixed: [(column: String, value: String)]
  /// Make the records that are referred to by name and do not exist.
  package let createsMissing: Bool
  /// How the file is written.
  package let format: Format
  /// Refuse a line as a whole when an optional value cannot be read; otherwise the value stays empty and is told.
  package let isStrict: Bool
  /// Go on past lines that cannot be taken; otherwise the first such file imports nothing.
  package let skipsBad: Bool

  /// How a file of records is written.
  package enum Format: String, Sendable, CaseIterable {
    /// Comma-separated values with a heading.
    case csv
    /// A JSON object a line.
    case jsonl

    /// The format that a file's name tells; CSV unless it ends in `.jsonl` or `.ndjson`.
    package init(path: String) {
      self = [".jsonl", ".ndjson"].contains { path.lowercased().hasSuffix($0) } ? .jsonl : .csv
    }
  }

  package init(
    type: String,
    mapping: [(column: String, heading: String)] = [],
    fixed: [(column: String, value: String)] = [],
    createsMissing: Bool = false,
    format: Format = .csv,
    isStrict: Bool = false,
    skipsBad: Bool = false
  ) {
    self.type = type
    self.mapping = mapping
    self.fixed = fixed
    self.createsMissing = createsMissing
    self.format = format
    self.isStrict = isStrict
    self.skipsBad = skipsBad
  }

  /// Reads `machine=Asset,description=Text`.
  ///
  /// - Throws: `invalid_input` for a pair without `=` or a column named twice.
  package static func pairs(_ text: String, option: String) throws -> [(String, String)] {
    var pairs: [(String, String)] = []
    for part in text.split(separator: ",") {
      let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(trimmed)
      guard halves.count == 2, !halves[0].isEmpty else {
        throw DomainError(
          .invalidInput,
          "\(option): \(Quoted(String(part))) is not column=value",
          hint: "write \(option) description=Text,reported_on=Date"
        )
      }
      guard !pairs.contains(where: { $0.0 == halves[0] }) else {
        throw DomainError(.invalidInput, "\(option) names the column \(halves[0]) twice")
      }
      pairs.append((halves[0], halves[1]))
    }
    return pairs
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}

/// A line that an import did not take.
package struct RefusedLine: Sendable, Codable {
  /// The line of the file, counted from 1, the heading included.
  package let line: Int
  /// Why, in plain words.
  package let reason: String
  /// The line as it stands in the file.
  package let source: String

  package init(line: Int, reason: String, source: String) {
    self.line = line
    self.reason = reason
    self.source = source
  }
}

/// A value that an import left empty because it could not be read.
package struct UnreadValue: Sendable, Codable {
  package let line: Int
  package let column: String
  package let text: String
}

/// What an import did.
package struct ImportOutcome: Sendable, Codable {
  /// Records that were made.
  package var imported = 0
  /// Records that existed and were changed.
  package var updated = 0
  /// Lines whose record exists and says the same, or is from an earlier import.
  package var alreadyThere = 0
  /// Records made because others refer to them, by type.
  package var created: [String: Int] = [:]
  package var refused: [RefusedLine] = []
  package var unread: [UnreadValue] = []

  package init() {}
}
