internal import ArgumentParser
internal import CoreCommands
internal import Domain

extension CategoryCommand {
  struct Rename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rename",
      abstract: "Rename a category",
      discussion: "Example: fettle category rename Engine Motor --company acme"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "Its name, or its id") var category: String
    @Argument(help: "Its new name") var name: String

    func run() async throws {
      try await RecordActions(options: options, type: "maintenance.category")
        .update(change, category, ["name": .string(name)], version: nil)
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Archive a category; new entries cannot have it",
      discussion: "Example: fettle category delete \"Bead gun\" --company acme"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @OptionGroup var removal: RemovalOptions
    @Argument(help: "Its name, or its id") var category: String

    func run() async throws {
      try await RecordActions(options: options, type: "maintenance.category").delete(
        change,
        category,
        removal
      )
    }
  }
}
