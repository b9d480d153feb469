package import ArgumentParser
internal import Domain
package import Engine

/// Options for the layout of an imported file.
package struct LayoutOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Delimiter of a CSV file: semicolon, tab, pipe or any other character (default comma)",
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

  package init() {}

  /// Returns the layout of a file. If `format` is nil, the extension of the file decides.
  ///
  /// - Throws: `invalid_input` for an unknown delimiter or encoding, or a delimiter for JSON lines.
  package func layout(of file: String, only format: FileLayout.Format? = nil) throws -> FileLayout {
    let format = format ?? FileLayout.Format(path: file)
    if format == .jsonl, delimiter != nil {
      throw DomainError(.invalidInput, "JSON lines have no delimiter", hint: "remove --delimiter")
    }
    return FileLayout(
      format: format,
      delimiter: try delimiter.map { name in try FileLayout.delimiter(named: name) } ?? UInt8(ascii: ","),
      encoding: try encoding.map { name in try FileEncoding(named: name) }
    )
  }
}

/// Options of all record imports.
package struct ImportOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Values for all records, such as status=completed", valueName: "field=value,…")
  )
  package var set: String = ""

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

  @Flag(help: "Refuse a line if an optional value cannot be read")
  package var strict = false

  @Flag(help: "Check and count, then roll back")
  package var dryRun = false

  @OptionGroup package var layout: LayoutOptions

  package init() {}

  /// Returns the import plan that these options describe.
  ///
  /// - Throws: `invalid_input` for an invalid option.
  package func plan(_ type: String, file: String, map: String) throws -> ImportPlan {
    ImportPlan(
      type: type,
      mapping: try ImportPlan.pairs(map, option: "--map").map { (column: $0.0, heading: $0.1) },
      fixed: try ImportPlan.pairs(set, option: "--set").map { (column: $0.0, value: $0.1) },
      createsMissing: createMissing,
      layout: try layout.layout(of: file),
      isStrict: strict,
      skipsBad: skipBad != nil
    )
  }
}
