internal import ArgumentParser
internal import Domain

/// Creates a record.
struct NounAdd<Place: NounPlace>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    let noun = Place.noun
    return CommandConfiguration(
      commandName: "add",
      abstract: "Add \(noun.some)",
      scope: .company,
      discussion: """
        Example:
          \(noun.example(of: "add", noun.usualAddition))
        """
    )
  }

  @OptionGroup var options: RecordOptions
  @OptionGroup var change: ChangeOptions
  @OptionGroup var fields: NounFields<AddedFields<Place>>
  @OptionGroup var others: FieldPairs

  func run() async throws {
    // `fettle entry add description=Leak` gives a field too.
    let (given, words) = fields.separating
    var object = try others.object(words)
    for (column, value) in given.members { object[column] = value }
    try await RecordActions(options: options, type: Place.noun.type.name).create(change, object)
  }
}

/// Changes fields of a record.
struct NounUpdate<Place: NounPlace>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    let noun = Place.noun
    let column = noun.type.editable.first ?? "column"
    return CommandConfiguration(
      commandName: "update",
      abstract: "Change fields of \(noun.some)",
      scope: .company,
      discussion: """
        An empty value clears a field.

        Example:
          \(noun.example(of: "update", "\(noun.example) --set \(column)=value"))
        """
    )
  }

  @OptionGroup var options: RecordOptions
  @OptionGroup var change: ChangeOptions
  @OptionGroup var subject: NounRecord<Place>
  @OptionGroup var fields: NounFields<UpdatedFields<Place>>
  @OptionGroup var others: FieldPairs
  @Option(help: ArgumentHelp("Expected version; any other is refused", valueName: "n"))
  var ifVersion: Int64?

  func run() async throws {
    var object = try others.object()
    for (column, value) in fields.object.members { object[column] = value }
    guard !object.isEmpty else { throw FieldArguments.missing }
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
      abstract: "Delete \(noun.some); restorable",
      scope: .company,
      discussion: """
        With --where, deletes all matching \(noun.many) in one transaction. A refused one does not stop the others.

        Examples:
          \(noun.example(of: "delete", "\(noun.example) --comment \"Twice\""))
          fettle \(noun.name) delete --where "created_at<2005-01-01" --dry-run -c acme
        """
    )
  }

  @OptionGroup var options: RecordOptions
  @OptionGroup var change: ChangeOptions
  @OptionGroup var removal: RemovalOptions
  @Argument(
    help: "Number, key or id (default: all records that match --where)",
    completion: NounRecord<Place>.completion
  )
  var record: String?

  func validate() throws { try removal.requireOne(record, options) }

  func run() async throws {
    let actions = RecordActions(options: options, type: Place.noun.type.name)
    guard let record else { return try await actions.deleteAll(change, removal) }
    try await actions.delete(change, record, removal)
  }
}

/// Restores a deleted record.
struct NounRestore<Place: NounPlace>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    let noun = Place.noun
    return CommandConfiguration(
      commandName: "restore",
      abstract: "Restore a deleted \(noun.one)",
      scope: .company,
      discussion: """
        Example:
          \(noun.example(of: "restore", noun.example))
        """
    )
  }

  @OptionGroup var options: RecordOptions
  @OptionGroup var change: ChangeOptions
  @OptionGroup var removal: RemovalOptions
  @OptionGroup var subject: NounRecord<Place>

  func run() async throws {
    try await RecordActions(options: options, type: Place.noun.type.name)
      .restore(change, subject.record, removal)
  }
}
