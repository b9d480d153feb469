package import ArgumentParser
package import Domain
package import Engine

/// Options for the layout of an imported file.
package struct LayoutOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Delimiter of a CSV file, such as semicolon (default: from its heading line)",
      valueName: "sign"
    ),
    completion: .list(["comma", "semicolon", "tab", "pipe"])
  )
  package var delimiter: String?

  @Option(
    help: ArgumentHelp(
      "Encoding of the file (default: from its byte order mark, else utf-8)",
      valueName: "encoding"
    ),
    completion: .list(FileEncoding.allCases.map(\.rawValue))
  )
  package var encoding: String?

  @Option(
    help: ArgumentHelp(
      "Line with the headings, below titles (default: the first line that fits)",
      valueName: "n"
    )
  )
  package var headingLine: Int?

  @Option(help: ArgumentHelp("Last line to read, above totals and remarks (default: all)", valueName: "n"))
  package var lastLine: Int?

  package init() {}

  /// Returns the layout of a file. If `format` is nil, the extension of the file decides.
  ///
  /// - Throws: `invalid_input` for an unknown delimiter or encoding, or a delimiter for JSON lines.
  package func layout(of file: String, only format: FileLayout.Format? = nil) throws -> FileLayout {
    let format = format ?? FileLayout.Format(path: file)
    if format == .jsonl, delimiter != nil {
      throw DomainError(.invalidInput, "JSON lines have no delimiter", hint: "remove --delimiter")
    }
    if format == .jsonl, headingLine != nil || lastLine != nil {
      throw DomainError(
        .invalidInput,
        "JSON lines have neither headings nor totals",
        hint: "remove --heading-line and --last-line"
      )
    }
    for (option, line) in [("--heading-line", headingLine), ("--last-line", lastLine)] {
      guard let line, line < 1 else { continue }
      throw DomainError(
        .invalidInput,
        "\(option): lines are counted from 1",
        hint: "write \(option) 1 or more"
      )
    }
    return FileLayout(
      format: format,
      delimiter: try delimiter.map { name in try FileLayout.delimiter(named: name) },
      encoding: try encoding.map { name in try FileEncoding(named: name) },
      headingLine: headingLine,
      lastLine: lastLine
    )
  }
}

/// Options for the notation of numbers in an imported file.
package struct NumberOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Sign before decimals: comma or point (default: from the values of each column)",
      valueName: "sign"
    ),
    completion: .list(DecimalSign.allCases.map(\.rawValue))
  )
  package var decimal: String?

  @Option(
    help: ArgumentHelp(
      "Sign between thousands: comma, point, space, apostrophe or none (default: any)",
      valueName: "sign"
    ),
    completion: .list(ThousandsSign.allCases.map(\.rawValue))
  )
  package var thousands: String?

  package init() {}

  /// Returns the stated notation.
  ///
  /// - Parameter dates: the stated format of dates.
  /// - Throws: `invalid_input` for an unknown sign or format.
  package func notation(dates: String? = nil) throws -> StatedNotation {
    try StatedNotation(
      decimal: decimal.map { try Self.sign($0, "--decimal") },
      thousands: thousands.map { try Self.sign($0, "--thousands") },
      dates: dates.map { text in try DateFormat(parsing: text) }
    )
  }

  /// Parses the sign before decimals.
  static func decimal(_ text: String) throws -> DecimalSign { try sign(text, "--decimal") }

  private static func sign<Sign: RawRepresentable & CaseIterable>(_ text: String, _ option: String) throws
    -> Sign
  where Sign.RawValue == String {
    let signs: [String: String] = [
      ".": "point", "dot": "point", ",": "comma", " ": "space", "'": "apostrophe",
    ]
    let name = text.lowercased()
    if let sign = Sign(rawValue: signs[name] ?? name) { return sign }
    throw DomainError(
      .invalidInput,
      "\(option): \(Quoted(text)) is not such a sign",
      hint: "use one of: \(Sign.allCases.map(\.rawValue).joined(separator: ", "))"
    )
  }
}

/// Options of all record imports.
package struct ImportOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Values for all new records, such as status=completed or machine=EX-1 (repeatable)",
      valueName: "field=value,…"
    )
  )
  package var set: [String] = []

  @Option(
    help: ArgumentHelp(
      "Meanings of the file's words in a field, such as priority:High=1,Low=3 (repeatable)",
      valueName: "field:word=value,…"
    )
  )
  package var values: [String] = []

  @Flag(help: "Create referenced records that do not exist")
  package var createMissing = false

  @Option(
    help: ArgumentHelp(
      "Import the valid lines, and write the others with line and reason to this file",
      valueName: "file"
    ),
    completion: .file()
  )
  package var skipBad: String?

  @Option(
    help: ArgumentHelp(
      "Leave an unreadable value of this field empty, and count it (repeatable)",
      valueName: "field"
    )
  )
  package var emptyIfUnreadable: [String] = []

  @Flag(help: "Import lines a second time that an earlier import read with another mapping")
  package var again = false

  @Flag(help: "Check and count, then roll back")
  package var dryRun = false

  @OptionGroup package var layout: LayoutOptions
  @OptionGroup package var numbers: NumberOptions

  @Option(
    help: ArgumentHelp(
      "Format of dates, such as dd/mm/yyyy (default: from the values of each column)",
      valueName: "format"
    ),
    completion: .list(["dd/mm/yyyy", "mm/dd/yyyy", "dd.mm.yy", "yyyy-mm-dd"])
  )
  package var dateFormat: String?

  package init() {}

  /// Returns the import plan that these options describe.
  ///
  /// - Throws: `invalid_input` for an invalid option.
  package func plan(_ type: String, file: String, map: [String]) throws -> ImportPlan {
    ImportPlan(
      type: type,
      mapping: try ImportPlan.pairs(map, option: "--map").map { (column: $0.0, heading: $0.1) },
      fixed: try ImportPlan.pairs(set, option: "--set").map { (column: $0.0, value: $0.1) },
      createsMissing: createMissing,
      layout: try layout.layout(of: file),
      notation: try numbers.notation(dates: dateFormat),
      emptyIfUnreadable: emptyIfUnreadable,
      values: try StatedValues(parsing: values),
      skipsBad: skipBad != nil,
      repeats: again
    )
  }
}
