package import Domain
internal import Store

/// The options of an import.
package struct ImportPlan: Sendable {
  /// The name of the records' type.
  package let type: String
  /// Columns of the type, each with the heading of the file that fills it; if empty, headings fill the
  /// columns of their names.
  /// The column `id` selects an existing record to change, and `version` is that record's version when the
  /// file was written.
  package let mapping: [(column: String, heading: String)]
  /// Columns of the type, each with one value for all new records: of a reference, the name of a record. `status` sets the
  /// records' status.
  package let fixed: [(column: String, value: String)]
  /// True to create missing records that lines refer to by name.
  package let createsMissing: Bool
  /// The format, delimiter and encoding of the file.
  package let layout: FileLayout
  /// The notation of numbers and dates, as far as it is stated.
  package let notation: StatedNotation
  /// Optional columns whose unreadable values stay empty and are reported; in other columns they refuse the
  /// line.
  package let emptyIfUnreadable: [String]
  /// The stated meanings of words in the file.
  package let values: StatedValues
  /// True to import the valid lines if others are refused; otherwise one refused line refuses the file.
  package let skipsBad: Bool
  /// True to import lines again that an earlier import has made records of, with other columns mapped.
  package let repeats: Bool

  package init(
    type: String,
    mapping: [(column: String, heading: String)] = [],
    fixed: [(column: String, value: String)] = [],
    createsMissing: Bool = false,
    layout: FileLayout = FileLayout(),
    notation: StatedNotation = .none,
    emptyIfUnreadable: [String] = [],
    values: StatedValues = .none,
    skipsBad: Bool = false,
    repeats: Bool = false
  ) {
    self.type = type
    self.mapping = mapping
    self.fixed = fixed
    self.createsMissing = createsMissing
    self.layout = layout
    self.notation = notation
    self.emptyIfUnreadable = emptyIfUnreadable
    self.values = values
    self.skipsBad = skipsBad
    self.repeats = repeats
  }

  /// Parses `machine=Asset,description=Text`, in one text or several. A pair or its value may be in double quotes, as in
  /// `actual_cost="Cost, EUR"`.
  ///
  /// - Parameter option: the option's name, for messages.
  /// - Throws: `invalid_input` for a pair without `=` or a column named twice.
  package static func pairs(_ texts: [String], option: String) throws -> [(String, String)] {
    var pairs: [(String, String)] = []
    for part in try texts.flatMap({ try parts($0, option) }) {
      let halves = part.map(trimmed)
      guard halves.count == 2, !halves[0].isEmpty else {
        throw DomainError(
          .invalidInput,
          "\(option): \(Quoted(part.joined(separator: "="))) is not column=value",
          hint: "write \(option) description=Text,reported_on=Date; put a text with a comma in double quotes"
        )
      }
      guard !pairs.contains(where: { $0.0 == halves[0] }) else {
        throw DomainError(.invalidInput, "\(option) names the column \(halves[0]) twice")
      }
      pairs.append((halves[0], halves[1]))
    }
    return pairs
  }

  /// Splits a text at the commas, and each part at its first `=`, outside of quotes.
  private static func parts(_ text: String, _ option: String) throws -> [[String]] {
    var parts = [[""]]
    var isQuoted = false
    var rest = text[...]
    while let sign = rest.popFirst() {
      let last = parts.count - 1
      let half = parts[last].count - 1
      switch sign {
      case "\"" where isQuoted && rest.first == "\"":
        rest.removeFirst()
        parts[last][half].append(sign)
      case "\"" where isQuoted || parts[last][half].allSatisfy(\.isWhitespace): isQuoted.toggle()
      case "=" where half == 0: parts[last].append("")
      case "," where !isQuoted: parts.append([""])
      default: parts[last][half].append(sign)
      }
    }
    guard !isQuoted else {
      throw DomainError(
        .invalidInput,
        "\(option): a quote in \(Quoted(text)) is not closed",
        hint: "close it, or double a quote within quotes"
      )
    }
    return parts.filter { $0 != [""] }
  }

  private static func trimmed(_ text: String) -> String {
    var text = text[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}

/// A line that an import refused.
package struct RefusedLine: Sendable, Codable, Equatable {
  /// The line's number in the file, counted from 1, heading included.
  package let line: Int
  /// The reason, for the user.
  package let reason: String
  /// The code of the refusal, the same as for a single command.
  package let code: ErrorCode
  /// The bytes of the line without its end: in UTF-8, unless the line was refused for invalid UTF-8.
  package let source: [UInt8]
  /// The optional column whose value cannot be read; nil for another reason.
  package let unreadable: String?
  /// The field and the word that it does not know, such as `priority:High`; nil for another reason.
  package let word: String?
  /// The number of the import that has made a record of the line; nil for another reason.
  package let formerImport: Int64?

  package init(
    line: Int,
    reason: String,
    code: ErrorCode = .invalidInput,
    source: [UInt8],
    unreadable: String? = nil,
    word: String? = nil,
    formerImport: Int64? = nil
  ) {
    self.line = line
    self.reason = reason
    self.code = code
    self.source = source
    self.unreadable = unreadable
    self.word = word
    self.formerImport = formerImport
  }
}

/// An unreadable value that an import left empty.
package struct UnreadValue: Sendable, Codable, Equatable {
  package let line: Int
  package let column: String
  package let text: String
}

/// A line that equals an earlier line of the same file.
package struct EqualLine: Sendable, Codable, Equatable {
  package let line: Int
  /// The first line with the same values.
  package let first: Int
}

/// A record created for a name that looks like the value of another column.
package struct ShiftedValue: Sendable, Codable, Equatable {
  /// The type of the record.
  package let type: String
  package let name: String
  /// The first line that refers to the record.
  package let line: Int
  /// The reason for the suspicion, such as "it is a date".
  package let reason: String
}

/// The result of an import.
package struct ImportOutcome: Sendable, Codable {
  /// The number by which the import can be undone; nil if it wrote nothing.
  package var number: Int64?
  /// The number of created records.
  package var imported = 0
  /// The number of changed records.
  package var updated = 0
  /// The number of records of an earlier import whose empty fields were filled.
  package var completed = 0
  /// The number of lines that changed nothing, because their record exists with the same values or from an
  /// earlier import.
  package var alreadyThere = 0
  /// The lines whose record has other values, which were kept: somebody changed them, or they were read
  /// differently.
  package var differing: [Int] = []
  /// The lines that equal an earlier line. Each has a record of its own.
  package var equal: [EqualLine] = []
  /// The numbers of records created because lines refer to them, by type.
  package var created: [String: Int] = [:]
  /// The created records whose names suggest that the columns of a line are shifted.
  package var shifted: [ShiftedValue] = []
  package var refused: [RefusedLine] = []
  package var unread: [UnreadValue] = []
  /// The form of the file; the file of refused lines has the same form.
  package var form = FileForm()

  package init() {}
}
