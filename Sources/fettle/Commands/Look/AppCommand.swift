internal import ArgumentParser
internal import Engine
internal import Terminal

struct AppCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "app",
    abstract: "The apps that are installed.",
    discussion: "Example: fettle app list",
    subcommands: [List.self, Lint.self],
    defaultSubcommand: List.self
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the apps with their record types and permissions.",
      discussion: """
        The hash is that of everything the app was installed from.

        Examples:
          fettle app list
          fettle app list --output json --columns name,version,types
        """
    )
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await connection.withServices { services in
        let apps = try await InstalledApps(services).list()
        try output.print(
          Table(
            columns: [
              Column("name"), Column("version", kind: .number), Column("hash"),
              Column("short_hash", title: "hash"), Column("types"),
              Column("permission_count", title: "permissions", kind: .number), Column("permissions"),
              Column("installed_at", kind: .instant),
            ],
            rows: apps.map { app in
              let hash = hexadecimal(app.hash)
              return [
                .string(app.name), .integer(app.version), .string(hash), .string(String(hash.prefix(12))),
                .list(app.types.map { .string($0) }), .integer(app.permissions.count),
                .list(app.permissions.map { .string($0) }), Cell(app.installedAt),
              ]
            }
          ),
          forPeople: ["name", "version", "short_hash", "types", "permission_count"]
        )
      }
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
      bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
  }
}
