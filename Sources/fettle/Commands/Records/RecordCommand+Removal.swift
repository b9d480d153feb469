internal import ArgumentParser
internal import CoreCommands

extension RecordCommand {
  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete records and their dependents; restorable",
      scope: .company,
      discussion: """
        Refused if other records refer to the record; the message names them. With
        --where, deletes all matching records in one transaction and prints a result
        for each. A refused record does not stop the others.

        Examples:
          fettle record delete maintenance.machine RM-001 --comment "Sold" -c acme
          fettle record delete maintenance.entry WO-1003 --dry-run -c acme
          fettle record delete maintenance.entry --where "reported_on<2005-01-01" \\
            --dry-run -c acme
        """
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @OptionGroup var removal: RemovalOptions
    @OptionGroup var kind: TypeArgument
    @Argument(
      help: "Number, key or id (default: all records that match --where)",
      completion: .custom { words, _, _ in await LiveCompletion.records(words) }
    )
    var record: String?

    func validate() throws { try removal.requireOne(record, options) }

    func run() async throws {
      let actions = RecordActions(options: options, type: kind.type)
      guard let record else { return try await actions.deleteAll(change, removal) }
      try await actions.delete(change, record, removal)
    }
  }

  struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Restore a deleted record and its dependents",
      scope: .company,
      discussion: "Example: fettle record restore maintenance.machine RM-001 --company acme"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @OptionGroup var removal: RemovalOptions
    @OptionGroup var subject: RecordArguments

    func run() async throws {
      try await RecordActions(options: options, type: subject.type).restore(change, subject.record, removal)
    }
  }
}
