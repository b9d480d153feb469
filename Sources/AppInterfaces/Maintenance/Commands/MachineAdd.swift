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
  @OptionGroup var others: FieldPairs

  func run() async throws {
    var given: JSONObject = ["code": .string(code)]
    if let name { given["name"] = .string(name) }
    try await RecordActions(options: options, type: "maintenance.machine")
      .create(change, try others.object(with: given, otherwise: ["name": .string(code)]))
  }
}
