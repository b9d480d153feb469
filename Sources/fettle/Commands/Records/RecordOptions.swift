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
