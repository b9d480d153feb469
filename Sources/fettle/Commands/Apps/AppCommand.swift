internal import AppInterfaces
internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Jobs
internal import Secrets
internal import Store
internal import Terminal
internal import Webhooks

struct AppCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "app",
    abstract: "Manage apps",
    discussion: """
      `fettle migrate` and `fettle up` install the bundled apps; `fettle app install`
      installs other apps from folders.

      Examples:
        fettle app list
        fettle app lint ./orchard
        fettle app install ./orchard
        fettle app enable solar --company acme
      """,
    subcommands: [
      List.self, Show.self, Lint.self, Install.self, Upgrade.self, Uninstall.self,
      Used.self, Enable.self, Disable.self,
    ],
    defaultSubcommand: List.self
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List installed and available apps",
      scope: .installation,
      discussion: """
        The hash covers all source files of the app; bundled is the version in this
        program.

        Examples:
          fettle app list
          fettle app list --output json --columns name,version,types
        """
    )
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let apps = try await connection.withServices { try await InstalledApps($0).overview() }
      try output.print(
        Table(
          columns: [
            Column("name"), Column("version", kind: .number), Column("hash"),
            Column("short_hash", title: "hash"), Column("bundled", kind: .number),
            Column("state", kind: .status(["current": .green, "upgrade pending": .yellow])),
            Column("types"), Column("type_count", title: "types", kind: .number),
            Column("permission_count", title: "permissions", kind: .number), Column("permissions"),
            Column("installed_at", kind: .instant),
          ],
          rows: apps.map { app in
            let hash = app.installed.map { Hex.encode($0.hash) }
            return [
              .string(app.name), app.installed.map { .integer($0.version) } ?? .null, .optional(hash),
              .optional(hash.map { String($0.prefix(12)) }), app.carried.map { .integer($0) } ?? .null,
              .string(app.state.rawValue),
              .list(app.installed?.types.map { .string($0) } ?? []),
              .integer(app.installed?.types.count ?? 0), .integer(app.installed?.permissions.count ?? 0),
              .list(app.installed?.permissions.map { .string($0) } ?? []),
              app.installed.map { Cell($0.installedAt) } ?? .null,
            ]
          }
        ),
        forPeople: ["name", "version", "short_hash", "bundled", "state", "type_count", "permission_count"]
      )
    }
  }

  /// Returns the job kinds that this program's workers handle.
  static func handledJobs(_ services: Services) async throws -> Set<String> {
    let records = try await Records.open(services)
    return Set(CompiledApps.handlers(records, policy: .publicOnly).kinds)
  }
}
