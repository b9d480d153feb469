internal import ArgumentParser
internal import CoreCommands

extension RecordCommand {
  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a record and its dependents; restorable",
      scope: .company,
      discussion: """
        Refused if other records refer to the record; the message names them.

        Examples:
          fettle record delete maintenance.machine RM-001 --comment "Sold" -c acme
          fettle record delete maintenance.entry WO-1003 --dry-run -c acme
        """
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @OptionGroup var removal: RemovalOptions
    @OptionGroup var subject: RecordArguments

    func run() async throws {
      try await RecordActions(options: options, type: subject.type).delete(change, subject.record, removal)
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
