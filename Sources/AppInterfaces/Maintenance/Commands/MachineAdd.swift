internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain

/// Adds a machine. Its name defaults to its code.
struct MachineAdd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a machine",
    scope: .company,
    discussion: "Example: fettle machine add RM-005 --name \"Line marker\" --company acme"
  )
  @OptionGroup var options: RecordOptions
  @OptionGroup var change: ChangeOptions
  @Argument(help: "Code of the machine, unique in the company") var code: String
  @Option(help: "Name (default: the code)") var name: String?

  func run() async throws {
    try await RecordActions(options: options, type: "maintenance.machine")
      .create(change, ["code": .string(code), "name": .string(name ?? code)])
  }
}
