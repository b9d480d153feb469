internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Engine
internal import Terminal

struct TagCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tag",
    abstract: "Manage tags of items",
    discussion: "Example: fettle tag merge gardn garten --into garden --company home",
    subcommands: [List.self, Rename.self, Merge.self],
    defaultSubcommand: List.self
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List tags with their number of items",
      scope: .company,
      discussion: "Example: fettle tag list --company home"
    )
    @OptionGroup var options: RecordOptions

    func run() async throws {
      let labels = try await options.withInventory { try await ItemLabels($0, $1).tags($2) }
      try options.output.print(LabelTable.of(labels, "tag"))
    }
  }

  struct Rename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Rename a tag on every item that has it",
      scope: .company,
      discussion: "Example: fettle tag rename gardn garden --company home --as ana"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var key: AdministrationOptions
    @Argument(help: "Current tag") var old: String
    @Argument(help: "New tag") var new: String

    func run() async throws {
      try await key.change(options.company, options.output) { services, acting in
        let count = try await ItemLabels(services, try await Records.open(services)).renameTag(
          acting,
          old,
          to: new
        )
        return ChangeReport("changed \(count) items", [(Column("changed"), .integer(count))])
      }
    }
  }

  struct Merge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Merge tags on every item that has one of them",
      scope: .company,
      discussion: "Example: fettle tag merge gardn garten --into garden --company home"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var key: AdministrationOptions
    @Argument(help: "Tags to merge") var tags: [String]
    @Option(help: "Tag that remains") var into: String

    func run() async throws {
      try await key.change(options.company, options.output) { services, acting in
        let count = try await ItemLabels(services, try await Records.open(services)).mergeTags(
          acting,
          tags,
          into: into
        )
        return ChangeReport("changed \(count) items", [(Column("changed"), .integer(count))])
      }
    }
  }
}
