internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain

/// Renames a category.
struct CategoryRename: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename",
    abstract: "Rename a category",
    scope: .company,
    discussion: "Example: fettle category rename Engine Motor --company acme"
  )
  @OptionGroup var options: RecordOptions
  @OptionGroup var change: ChangeOptions
  @Argument(help: "Name or id of the category") var category: String
  @Argument(help: "New name") var name: String

  func run() async throws {
    try await RecordActions(options: options, type: "maintenance.category")
      .update(change, category, ["name": .string(name)], version: nil)
  }
}
