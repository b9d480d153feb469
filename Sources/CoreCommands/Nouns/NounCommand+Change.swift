internal import ArgumentParser
internal import Domain

/// Creates a record.
struct NounAdd<Place: NounPlace>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    let noun = Place.noun
    return CommandConfiguration(
      commandName: "add",
      abstract: "Add \(noun.some).",
      discussion: """
        Example:
          fettle \(noun.name) add \(noun.words.arguments.map { "'\($0)'" }.joined(separator: " ")) --company acme
        """
    )
  }

  @OptionGroup var options: RecordOptions
  @OptionGroup var change: ChangeOptions
  @OptionGroup var fields: NounFields<AddedFields<Place>>
  @Option(
    name: .customLong("set"),
    help: ArgumentHelp("A field and its value; may be repeated.", valueName: "column=value")
  )
  var others: [String] = []

  func run() async throws {
    var object = try FieldArguments.object(others)
    for (column, value) in fields.object.members { object[column] = value }
    try await RecordActions(options: options, type: Place.noun.type.name).create(change, object)
  }
}

/// Changes fields of a record.
struct NounUpdate<Place: NounPlace>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    let noun = Place.noun
    return CommandConfiguration(
      commandName: "update",
      abstract: "Change fields of \(noun.some).",
      discussion: """
        An empty value clears a field.

        Example:
          fettle \(noun.name) update \(noun.example) --set \(noun.type.editable.first ?? "column")=value -c acme
        """
    )
  }

  @OptionGroup var options: RecordOptions
  @OptionGroup var change: ChangeOptions
  @OptionGroup var subject: NounRecord<Place>
  @OptionGroup var fields: NounFields<UpdatedFields<Place>>
  @Option(
    name: .customLong("set"),
    help: ArgumentHelp("A field and its value; empty clears it.", valueName: "column=value")
  )
  var others: [String] = []
  @Option(help: ArgumentHelp("Refuse unless the record has this version.", valueName: "n"))
  var ifVersion: Int64?

  func run() async throws {
    var object = try FieldArguments.object(others)
    for (column, value) in fields.object.members { object[column] = value }
    guard !object.members.isEmpty else {
      throw DomainError(.missingFields, "no field is given", hint: "add a flag, or --set column=value")
    }
    try await RecordActions(options: options, type: Place.noun.type.name)
      .update(change, subject.record, object, version: ifVersion)
  }
}

/// Deletes a record.
struct NounDelete<Place: NounPlace>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    let noun = Place.noun
    return CommandConfiguration(
      commandName: "delete",
      abstract: "Delete \(noun.some); `restore` brings it back.",
      discussion: """
        Example:
          fettle \(noun.name) delete \(noun.example) --comment "Twice" --company acme
        """
    )
  }

  @OptionGroup var options: RecordOptions
  @OptionGroup var change: ChangeOptions
  @OptionGroup var removal: RemovalOptions
  @OptionGroup var subject: NounRecord<Place>

  func run() async throws {
    try await RecordActions(options: options, type: Place.noun.type.name).delete(
      change,
      subject.record,
      removal
    )
  }
}

/// Restores a deleted record.
struct NounRestore<Place: NounPlace>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    let noun = Place.noun
    return CommandConfiguration(
      commandName: "restore",
      abstract: "Restore \(noun.some) that was deleted.",
      discussion: "Example: fettle \(noun.name) restore \(noun.example) --company acme"
    )
  }

  @OptionGroup var options: RecordOptions
  @OptionGroup var change: ChangeOptions
  @OptionGroup var removal: RemovalOptions
  @OptionGroup var subject: NounRecord<Place>

  func run() async throws {
    try await RecordActions(options: options, type: Place.noun.type.name).restore(
      change,
      subject.record,
      removal
    )
  }
}

/// Takes a record, or all that a filter finds, through a transition.
struct NounDo<Place: NounPlace>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    let noun = Place.noun
    let transition = noun.transitions.first ?? "transition"
    return CommandConfiguration(
      commandName: "do",
      abstract: "Take \(noun.some), or all that a filter finds, through a transition.",
      discussion: """
        Transitions: \(noun.transitions.joined(separator: ", ")).

        Examples:
          fettle \(noun.name) do \(transition) \(noun.example) --company acme
          fettle \(noun.name) do \(transition) --where status=\(noun.states.first ?? "open") -c acme
        """
    )
  }

  @OptionGroup var options: RecordOptions
  @OptionGroup var change: ChangeOptions
  @OptionGroup var request: TransitionOptions
  @Argument(help: "The transition.", completion: .list(Place.noun.transitions)) var transition: String
  @Argument(
    help: "The record; without one, all that --where finds.",
    completion: .custom { words, _, _ in await LiveCompletion.names(Place.noun.type.name, words) }
  )
  var record: String?

  func validate() throws { try options.requireOne(record) }

  func run() async throws {
    let actions = RecordActions(options: options, type: Place.noun.type.name)
    let request = try request.request(transition)
    guard let record else { return try await actions.transitionAll(change, request) }
    try await actions.transition(change, record, request)
  }
}
