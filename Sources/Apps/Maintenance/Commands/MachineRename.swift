internal import ArgumentParser
internal import CoreCommands
internal import Domain

/// Renames a machine.
struct MachineRename: AsyncParsableCommand {
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
