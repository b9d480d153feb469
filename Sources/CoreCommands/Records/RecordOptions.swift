package import ArgumentParser
package import Domain

/// Options of all commands on records: connection, company, member and output.
package struct RecordOptions: ParsableArguments {
  @OptionGroup package var company: CompanyOptions
  @OptionGroup package var output: OutputOptions

  package init() {}
}

/// Options of commands that change records.
package struct ChangeOptions: ParsableArguments {
  @Flag(help: "Report what would happen, then roll back")
  package var dryRun = false

  @Option(help: ArgumentHelp("Idempotency key: a repetition returns the first result", valueName: "key"))
  package var idempotencyKey: String?

  package init() {}
}

/// Options of a deletion or a restoration.
package struct RemovalOptions: ParsableArguments {
  @Option(help: "Comment for the history") package var comment: String?

  @Option(help: ArgumentHelp("Expected version; any other is refused", valueName: "n"))
  package var ifVersion: Int64?

  package init() {}

  /// Throws a validation error unless a deletion names a record or a filter, but not both, and an expected version
  /// only of a record.
  package func requireOne(_ record: String?, _ options: RecordOptions) throws {
    try options.requireOne(record)
    if record == nil, ifVersion != nil { throw ValidationError("--if-version requires a single record") }
  }
}

/// Fields with their values. Every command that takes fields takes them as `--set column=value` and as `column=value`.
///
/// Declare the group below the arguments of the command, because it takes all arguments that are left.
package struct FieldPairs: ParsableArguments {
  @Option(
    name: .customLong("set"),
    help: ArgumentHelp("Field and its value; an empty value clears it; repeatable", valueName: "column=value")
  )
  package var options: [String] = []

  @Argument(
    help: ArgumentHelp("Fields, as with --set", valueName: "column=value"),
    completion: .custom { words, _, _ in await LiveCompletion.fields(words) }
  )
  package var arguments: [String] = []

  package init() {}

  /// The values by column.
  ///
  /// - Parameter words: further arguments that name a field.
  /// - Throws: `invalid_input` for text that is not `column=value`.
  package func object(_ words: [String] = []) throws -> JSONObject {
    try FieldArguments.object(options + words + arguments)
  }

  /// The values by column, with those of a command's own arguments and options.
  ///
  /// - Parameters:
  ///   - given: the values that the own arguments and options give.
  ///   - defaults: the values of columns that nothing gives.
  /// - Throws: `invalid_input` for text that is not `column=value`, and for a column that is given both ways.
  package func object(with given: JSONObject, otherwise defaults: JSONObject = [:]) throws -> JSONObject {
    var fields = try object()
    for (column, value) in given.members {
      guard fields[column] == nil else {
        throw DomainError(
          .invalidInput,
          "\(column) is given twice: by `--set` and by an option or argument of its own",
          hint: "remove --set \(column)"
        )
      }
      fields[column] = value
    }
    for (column, value) in defaults.members where fields[column] == nil { fields[column] = value }
    return fields
  }
}

/// Fields to change.
package struct FieldChanges: ParsableArguments {
  @OptionGroup package var pairs: FieldPairs

  @Option(help: ArgumentHelp("Expected version; any other is refused", valueName: "n"))
  package var ifVersion: Int64?

  package init() {}

  /// The new values by column.
  ///
  /// - Throws: `invalid_input` for text that is not `column=value`; `missing_fields` without any.
  package func object() throws -> JSONObject {
    let fields = try pairs.object()
    guard !fields.isEmpty else { throw FieldArguments.missing }
    return fields
  }
}

/// A record type as an argument, for commands on records of any type.
package struct TypeArgument: ParsableArguments {
  @Argument(
    help: "Record type, such as maintenance.entry",
    completion: .custom { _, _, _ in await LiveCompletion.types() }
  )
  package var type: String

  package init() {}
}

/// A record type and one of its records.
package struct RecordArguments: ParsableArguments {
  @OptionGroup package var kind: TypeArgument

  @Argument(
    help: "Number, key or id of the record, or the beginning of the id",
    completion: .custom { words, _, _ in await LiveCompletion.records(words) }
  )
  package var record: String

  package init() {}

  /// The name of the record type.
  package var type: String { kind.type }
}

/// `column=value` pairs as the fields of a record.
package enum FieldArguments {
  /// The refusal of a command without fields.
  package static let missing = DomainError(
    .missingFields,
    "no field is given",
    hint: "add --set column=value"
  )

  /// True if a word gives one of these fields.
  package static func gives(_ word: String, oneOf columns: some Sequence<String>) -> Bool {
    columns.contains { word.hasPrefix("\($0)=") }
  }

  /// Parses the pairs. `column=` clears a column; the type converts numbers and booleans.
  ///
  /// - Throws: `invalid_input` for a pair without a column or `=`.
  package static func object(_ pairs: [String]) throws -> JSONObject {
    var fields: JSONObject = [:]
    for pair in pairs {
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard halves.count == 2, !halves[0].isEmpty else {
        throw DomainError(
          .invalidInput,
          "\(Quoted(pair)) is not column=value",
          hint: "write --set description=\"Oil leak\""
        )
      }
      fields[halves[0]] = halves[1].isEmpty ? .null : .string(halves[1])
    }
    return fields
  }
}
