internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain

/// Renames a machine.
struct MachineRename: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename",
    abstract: "Rename a machine",
    scope: .company,
    discussion: "Example: fettle machine rename RM-001 \"Line marker\" --company acme"
  )
  @OptionGroup var options: RecordOptions
  @OptionGroup var change: ChangeOptions
  @Argument(
    help: "Code or id of the machine",
    completion: .custom { words, _, _ in await LiveCompletion.records(of: "maintenance.machine", words) }
  ) var machine: String
  @Argument(help: "New name") var name: String

  func run() async throws {
    try await RecordActions(options: options, type: "maintenance.machine")
      .update(change, machine, ["name": .string(name)], version: nil)
  }
}
