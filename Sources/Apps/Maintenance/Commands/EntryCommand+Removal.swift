internal import ArgumentParser
internal import CoreCommands

extension EntryCommand {
  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete an entry and its hours; restorable",
      discussion: "Example: fettle entry delete WO-1003 --comment \"Twice\" -c acme --as eva"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @OptionGroup var removal: RemovalOptions
    @Argument(
      help: "The entry",
      completion: .custom { words, _, _ in await LiveCompletion.records(of: "maintenance.entry", words) }
    ) var entry: String

    func run() async throws {
      try await RecordActions(options: options, type: "maintenance.entry").delete(change, entry, removal)
    }
  }

  struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Restore a deleted entry with its hours",
      discussion: "Example: fettle entry restore WO-1003 --company acme --as eva"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @OptionGroup var removal: RemovalOptions
    @Argument(
      help: "The entry",
      completion: .custom { words, _, _ in await LiveCompletion.records(of: "maintenance.entry", words) }
    ) var entry: String

    func run() async throws {
      try await RecordActions(options: options, type: "maintenance.entry").restore(change, entry, removal)
    }
  }
}
