internal import ArgumentParser
internal import CoreCommands
internal import Domain

extension MachineCommand {
  struct Rename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rename",
      abstract: "Rename a machine",
      discussion: "Example: fettle machine rename RM-001 \"Line marker\" --company acme"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @Argument(
      help: "The machine's code, or its id",
      completion: .custom { words, _, _ in await LiveCompletion.records(of: "maintenance.machine", words) }
    ) var machine: String
    @Argument(help: "Its new name") var name: String

    func run() async throws {
      try await RecordActions(options: options, type: "maintenance.machine")
        .update(change, machine, ["name": .string(name)], version: nil)
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a machine without entries, and what belongs to it",
      discussion: "Example: fettle machine delete RM-001 --comment Sold --company acme"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @OptionGroup var removal: RemovalOptions
    @Argument(
      help: "The machine's code, or its id",
      completion: .custom { words, _, _ in await LiveCompletion.records(of: "maintenance.machine", words) }
    ) var machine: String

    func run() async throws {
      try await RecordActions(options: options, type: "maintenance.machine").delete(change, machine, removal)
    }
  }
}
