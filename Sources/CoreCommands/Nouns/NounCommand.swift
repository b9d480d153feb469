internal import ArgumentParser
internal import Domain
internal import Engine

/// A noun with its verbs: the generic ones and those of its app.
struct NounCommand<Place: NounPlace>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    let noun = Place.noun
    let verbs = verbs(of: noun)
    return CommandConfiguration(
      commandName: noun.name,
      abstract: noun.words.about ?? "Manage \(noun.many)",
      discussion: """
        Examples:
          \(noun.example(of: "list", ""))
          \(noun.example(of: "show", noun.example))
        """,
      subcommands: verbs,
      defaultSubcommand: verbs.first { $0.configuration.commandName == "list" }
    )
  }

  /// Returns the generic verbs, then the app's. An app's verb replaces the generic verb of the same name.
  private static func verbs(of noun: Noun) -> [any ParsableCommand.Type] {
    var verbs: [any ParsableCommand.Type] = [
      NounList<Place>.self, NounShow<Place>.self, NounAdd<Place>.self, NounUpdate<Place>.self,
      NounDelete<Place>.self, NounRestore<Place>.self,
    ]
    if noun.workflow != nil { verbs.append(NounDo<Place>.self) }
    verbs.append(NounHistory<Place>.self)
    for verb in noun.verbs {
      let name = verb.configuration.commandName
      if let index = verbs.firstIndex(where: { $0.configuration.commandName == name }) {
        verbs[index] = verb
      } else {
        verbs.append(verb)
      }
    }
    return verbs
  }
}

/// Lists the records of a noun.
struct NounList<Place: NounPlace>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    let noun = Place.noun
    return CommandConfiguration(
      commandName: "list",
      abstract: "List \(noun.many)",
      scope: .company,
      discussion: """
        Example:
          \(noun.example(of: "list", ""))
        """
    )
  }

  @OptionGroup var options: RecordOptions
  @OptionGroup var states: NounState<Place>
  @OptionGroup var filters: NounFields<ListFilters<Place>>
  @Option(name: [.customShort("q"), .long], help: "Only records that contain this text") var search: String?
  @Option(help: "Maximum number of rows") var limit = Place.noun.words.limit

  func run() async throws {
    let noun = Place.noun
    var query = RecordQuery()
    query.search = search
    query.sort = noun.words.sort ?? query.sort
    query.limit = limit
    if let status = states.status { query.filters.append(("status", status)) }
    query.filters += filters.filters
    try await RecordActions(options: options, type: noun.type.name).list(query, columns: noun.words.columns)
  }
}

/// The filter by status, for a type with a workflow.
struct NounState<Place: NounPlace>: ParsableArguments, CustomReflectable {
  private(set) var status: String?

  init() {}

  init(from decoder: any Decoder) throws {
    guard Place.noun.workflow != nil else { return }
    status = try decoder.container(keyedBy: NamedKey.self).decodeIfPresent(
      String.self,
      forKey: NamedKey("status")
    )
  }

  var customMirror: Mirror {
    let states = Place.noun.states
    guard !states.isEmpty else { return Mirror(self, children: [], displayStyle: .struct) }
    let help = ArgumentHelp(stringLiteral: "Filter by status: \(states.joined(separator: ", "))")
    let option = Option<String?>(name: .customLong("status"), help: help, completion: .list(states))
    return Mirror(self, children: [(label: "status", value: option)], displayStyle: .struct)
  }
}

/// An argument that names a record by number, key or id.
struct NounRecord<Place: NounPlace>: ParsableArguments {
  @Argument(help: "Number, key, id, or the beginning of the id", completion: Self.completion)
  var record: String

  init() {}

  /// Completes with the names of the newest hundred records.
  static var completion: CompletionKind {
    let type = Place.noun.type.name
    return .custom { words, _, _ in await LiveCompletion.records(of: type, words) }
  }
}

/// Shows one record.
struct NounShow<Place: NounPlace>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    let noun = Place.noun
    return CommandConfiguration(
      commandName: "show",
      abstract: "Show \(noun.some) and its allowed actions",
      scope: .company,
      discussion: """
        Example:
          \(noun.example(of: "show", noun.example))
        """
    )
  }

  @OptionGroup var options: RecordOptions
  @OptionGroup var subject: NounRecord<Place>
  @Flag(help: "Show a deleted record; requires the permission to delete") var deleted = false

  func run() async throws {
    try await RecordActions(options: options, type: Place.noun.type.name)
      .show(subject.record, deleted: deleted)
  }
}

/// Shows the history of one record.
struct NounHistory<Place: NounPlace>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    let noun = Place.noun
    return CommandConfiguration(
      commandName: "history",
      abstract: "Show the history of \(noun.some)",
      scope: .company,
      discussion: """
        Example:
          \(noun.example(of: "history", noun.example))
        """
    )
  }

  @OptionGroup var options: RecordOptions
  @OptionGroup var subject: NounRecord<Place>
  @Flag(help: "Show the history of a deleted record; requires the permission to delete") var deleted = false

  func run() async throws {
    try await RecordActions(options: options, type: Place.noun.type.name)
      .history(subject.record, deleted: deleted)
  }
}
