internal import ArgumentParser
internal import Domain

/// Where, as whom, how printed: what every command on records takes.
struct RecordOptions: ParsableArguments {
  @OptionGroup var company: CompanyOptions
  @OptionGroup var output: OutputOptions
}

/// What commands that change something take beside.
struct ChangeOptions: ParsableArguments {
  @Flag(help: "Decide and write, then roll back: tell what would happen.")
  var dryRun = false

  @Option(help: ArgumentHelp("A key under which a repetition gets the first answer.", valueName: "key"))
  var idempotencyKey: String?
}

/// What a deletion or a restoration may be given.
struct RemovalOptions: ParsableArguments {
  @Option(help: "Why, for the history.") var comment: String?

  @Option(help: ArgumentHelp("The version you saw; another one is refused.", valueName: "n"))
  var ifVersion: Int64?
}

/// A type, as every command on records of any type takes it.
struct TypeArgument: ParsableArguments {
  @Argument(
    help: "The type, such as maintenance.entry.",
    completion: .custom { _, _, _ in await LiveCompletion.types() }
  )
  var type: String
}

/// A type and one of its records.
struct RecordArguments: ParsableArguments {
  @OptionGroup var kind: TypeArgument

  @Argument(
    help: "Its key, its id, or the beginning of its id.",
    completion: .custom { words, _, _ in await LiveCompletion.records(words) }
  )
  var record: String

  /// The type.
  var type: String { kind.type }
}

/// `column=value` pairs as the fields of a record.
enum FieldArguments {
  /// Reads the pairs; `column=` clears a column, numbers and truth values are converted by the type.
  static func object(_ pairs: [String]) throws -> JSONObject {
    var fields: JSONObject = [:]
    for pair in pairs {
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard halves.count == 2, !halves[0].isEmpty else {
        throw DomainError(
          .invalidInput,
          "\(Quoted(pair)) is not column=value",
          hint: "write description=\"Oil leak\""
        )
      }
      fields[halves[0]] = halves[1].isEmpty ? .null : .string(halves[1])
    }
    return fields
  }
}
