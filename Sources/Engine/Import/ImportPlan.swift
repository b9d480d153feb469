internal import Domain
internal import Store

/// The options of an import: the mapping of file columns to fields, and values shared by all records.
package struct ImportPlan: Sendable {
  /// The type of the records.
  package let type: String
  /// Columns of the type mapped to headings of the file; if empty, each heading that is a column fills it.
  /// `id` is the record's id, so that an existing record is changed, and `version` the version when the file
  /// was written.
  package let mapping: [(column: String, heading: String)]
  /// Column of the type to a fixed value; `status` is the status of the records.
  package let fixed: [(column: String, value: String)]
  /// True to create records that the file refers to by name if they do not exist.
  package let createsMissing: Bool
  /// Format, delimiter and encoding of the file.
  package let layout: FileLayout
  /// True if an unreadable optional value refuses its line; otherwise it stays empty and is reported.
  package let isStrict: Bool
  /// True to import the other lines if some are refused; otherwise one refused line refuses the file.
  package let skipsBad: Bool

  package init(
    type: String,
    mapping: [(column: String, heading: String)] = [],
    fixed: [(column: String, value: String)] = [],
    createsMissing: Bool = false,
    layout: FileLayout = FileLayout(),
    isStrict: Bool = false,
    skipsBad: Bool = false
  ) {
    self.type = type
    self.mapping = mapping
    self.fixed = fixed
    self.createsMissing = createsMissing
    self.layout = layout
    self.isStrict = isStrict
    self.skipsBad = skipsBad
  }

  /// Parses `machine=Asset,description=Text`.
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

/// A line that an import refused.
package struct RefusedLine: Sendable, Codable, Equatable {
  /// The line of the file, counted from 1, the heading included.
  package let line: Int
  /// The reason, for the user.
  package let reason: String
  /// The line as in the file, without its end: in UTF-8, unless it is refused for not being UTF-8.
  package let source: [UInt8]

  package init(line: Int, reason: String, source: [UInt8]) {
    self.line = line
    self.reason = reason
    self.source = source
  }
}

/// An unreadable value that an import left empty.
package struct UnreadValue: Sendable, Codable, Equatable {
  package let line: Int
  package let column: String
  package let text: String
}

/// A record created because a line refers to it, although its name looks like the value of another column.
package struct ShiftedValue: Sendable, Codable, Equatable {
  /// The type of the record.
  package let type: String
  package let name: String
  /// The first line that refers to it.
  package let line: Int
  /// The reason why it is suspicious, such as "it is a date".
  package let reason: String
}

/// The result of an import.
package struct ImportOutcome: Sendable, Codable {
  /// Records that were created.
  package var imported = 0
  /// Records that existed and were changed.
  package var updated = 0
  /// Lines whose record exists and is equal, or comes from an earlier import.
  package var alreadyThere = 0
  /// Records created because lines refer to them, by type.
  package var created: [String: Int] = [:]
  /// Created records whose names suggest that the columns of a line are shifted.
  package var shifted: [ShiftedValue] = []
  package var refused: [RefusedLine] = []
  package var unread: [UnreadValue] = []
  /// The form of the file, which the file of refused lines repeats.
  package var form = FileForm()

  package init() {}
}
