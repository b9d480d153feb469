internal import ArgumentParser
internal import Domain
internal import Engine

/// A noun with its verbs: those that every record type has, and those that its app adds.
struct NounCommand<Place: NounPlace>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    let noun = Place.noun
    var generic: [any ParsableCommand.Type] = [
      NounList<Place>.self, NounShow<Place>.self, NounAdd<Place>.self, NounUpdate<Place>.self,
      NounDelete<Place>.self, NounRestore<Place>.self, NounHistory<Place>.self,
    ]
    if noun.workflow != nil { generic.append(NounDo<Place>.self) }
    let written = Set(noun.verbs.compactMap { $0.configuration.commandName })
    let verbs = generic.filter { !written.contains($0.configuration.commandName ?? "") } + noun.verbs
    let list = verbs.first { $0.configuration.commandName == "list" }
    return CommandConfiguration(
      commandName: noun.name,
      abstract: "\(noun.words.about ?? noun.type.plural).",
      discussion: """
        Examples:
          fettle \(noun.name) list --company acme
          fettle \(noun.name) show \(noun.example) --company acme
        """,
      subcommands: verbs,
      defaultSubcommand: list
    )
  }
}

/// Lists the records of a noun.
struct NounList<Place: NounPlace>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    let noun = Place.noun
    return CommandConfiguration(
      commandName: "list",
      abstract: "List \(noun.many).",
      discussion: "Example: fettle \(noun.name) list --company acme"
    )
  }

  @OptionGroup var options: RecordOptions
  @OptionGroup var filters: NounFields<ListFilters<Place>>
  @OptionGroup var states: NounState<Place>
  @Option(help: "Only records that contain this text.") var search: String?
  @Option(help: "Records to show.") var limit = Place.noun.words.limit

  func run() async throws {
    let noun = Place.noun
    var query = RecordQuery()
    query.search = search
    query.sort = noun.words.sort ?? query.sort
    query.limit = limit
    if let status = states.status { query.filters.append(("status", status)) }
    var options = options
    options.output.filters += filters.conditions
    try await RecordActions(options: options, type: noun.type.name).list(query, columns: noun.words.columns)
  }
}

/// The filter by status, of a type that has a workflow.
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
    let help = ArgumentHelp(stringLiteral: "Only this status: \(states.joined(separator: ", ")).")
    let option = Option<String?>(name: .customLong("status"), help: help, completion: .list(states))
    return Mirror(self, children: [(label: "status", value: option)], displayStyle: .struct)
  }
}

/// A record of a noun, by its key or id.
struct NounRecord<Place: NounPlace>: ParsableArguments {
  @Argument(
    help: "Its key, its id, or the beginning of its id.",
    completion: .custom { words, _, _ in await LiveCompletion.names(Place.noun.type.name, words) }
  )
  var record: String

  init() {}
}

/// Shows one record.
struct NounShow<Place: NounPlace>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    let noun = Place.noun
    return CommandConfiguration(
      commandName: "show",
      abstract: "Show \(noun.some) and what can be done with it.",
      discussion: "Example: fettle \(noun.name) show \(noun.example) --company acme"
    )
  }

  @OptionGroup var options: RecordOptions
  @OptionGroup var subject: NounRecord<Place>
  @Flag(help: "A deleted record, for those who may delete.") var deleted = false

  func run() async throws {
    try await RecordActions(options: options, type: Place.noun.type.name).show(
      subject.record,
      deleted: deleted
    )
  }
}

/// Shows the history of one record.
struct NounHistory<Place: NounPlace>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    let noun = Place.noun
    return CommandConfiguration(
      commandName: "history",
      abstract: "Show who changed \(noun.some), and how.",
      discussion: "Example: fettle \(noun.name) history \(noun.example) --company acme"
    )
  }

  @OptionGroup var options: RecordOptions
  @OptionGroup var subject: NounRecord<Place>

  func run() async throws {
    try await RecordActions(options: options, type: Place.noun.type.name).history(subject.record)
  }
}
