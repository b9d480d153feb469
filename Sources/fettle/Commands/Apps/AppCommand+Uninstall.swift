internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

extension AppCommand {
  struct Uninstall: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Uninstall an app that has no records",
      scope: .installation,
      discussion: """
        Refused if a company has a record of the app, even a deleted one, if another
        app refers to the app, or if a custom role of a company has one of the app's
        permissions.

        Examples:
          fettle app uninstall orchard --dry-run
          fettle app uninstall orchard --yes
        """
    )
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions
    @Argument(help: "Name of the app", completion: .custom { _, _, _ in await LiveCompletion.apps() })
    var app: String
    @Flag(help: "Run in a transaction that is rolled back") var dryRun = false
    @Flag(help: "Do not ask for confirmation") var yes = false

    func run() async throws {
      let question = "Drop the schema, the types, the permissions and the reports of \(app)?"
      guard try Prompt().confirm(question, assumeYes: yes || dryRun) else {
        return Message.tell("nothing was changed")
      }
      let outcome = try await connection.withServices(as: .migrator, accepting: .owner) { services in
        try await AppUninstaller(services.database, actor: .operator(Operator.name))
          .uninstall(app, dryRun: dryRun)
      }
      try output.report(
        "\(dryRun ? "would uninstall" : "uninstalled") \(outcome.app) \(outcome.version): "
          + "\(outcome.types.count) types, \(outcome.reports.count) reports, "
          + "\(outcome.permissions.count) permissions",
        [
          (Column("app"), .string(outcome.app)),
          (Column("version", kind: .number), .integer(outcome.version)),
          (Column("dry_run"), .bool(dryRun)),
          (Column("types"), .list(outcome.types.map { .string($0) })),
          (Column("reports"), .list(outcome.reports.map { .string($0) })),
          (Column("permissions"), .list(outcome.permissions.map { .string($0) })),
        ]
      )
    }
  }
}

extension LiveCompletion {
  /// Returns the names of the installed apps.
  static func apps() async -> [String] {
    await asking { services in try await InstalledApps(services).list().map(\.name) }
  }
}
