internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store
internal import Terminal

struct KeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key",
    abstract: "Show the key file, or accept another one",
    discussion: """
      Examples:
        fettle key show
        fettle key accept
      """,
    subcommands: [Show.self, Accept.self],
    defaultSubcommand: Show.self
  )

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the key file and compare it with the database",
      scope: .installation,
      discussion: """
        The path is that of FETTLE_KEY_FILE, else fettle.key in FETTLE_HOME, else in
        .fettle in the current folder. No key is shown. Exit code 8 if it is not that of
        the database, damaged, or missing.

        Example: fettle key show
        """
    )
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let file = try KeyLocation.file()
      let registered = try await connection.withDatabase { try await KeyRegistry.read($0) }
      let finding = KeyHealth.finding(file, registered: registered)
      try output.report(
        "\(file.path): \(finding.finding)",
        [
          (Column("path"), .string(file.path)), (Column("state"), .string(finding.state.rawValue)),
          (Column("finding"), .string(finding.finding)), (Column("remedy"), .optional(finding.remedy)),
        ]
      )
      if finding.state == .failed {
        throw ArgumentParser.ExitCode(Terminal.ExitCode.differences.rawValue)
      }
    }
  }

  struct Accept: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Accept another key file, because the former is lost",
      scope: .installation,
      discussion: """
        The database belongs to the present key file from now on; if there is none, it
        is created. Everything made with the lost keys is lost: mobile sessions end,
        open invite codes and links to files stop working, and the secrets of webhooks,
        second factors and repeated answers must be made again.

        Example: FETTLE_KEY_FILE=/etc/fettle/fettle.key fettle key accept
        """
    )
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let file = try KeyLocation.file()
      let keys = try file.existing() ?? Keyring.create(file)
      try await connection.withDatabase { try await KeyRegistry.accept(keys, $0) }
      try output.report(
        "the database belongs to the key file \(file.path) from now on; restart servers and workers",
        [(Column("path"), .string(file.path))]
      )
    }
  }
}

extension ConnectionOptions {
  /// Runs a command's body with the database alone, without keys.
  fileprivate func withDatabase<Value>(_ body: (Database) async throws -> Value) async throws -> Value {
    try await open(as: .admin).thenClose(body)
  }
}
