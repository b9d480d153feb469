internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store

extension SolarCommand {
  struct UtilityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "utility",
      abstract: "Manage the utility accounts of sites",
      discussion: "Example: fettle solar utility set Roof https://grid.example/readings",
      subcommands: [List.self, Set.self],
      defaultSubcommand: List.self
    )

    struct List: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "List utility accounts",
        scope: .company,
        discussion: "Example: fettle solar utility list -c acme"
      )
      @OptionGroup var options: RecordOptions

      func run() async throws {
        try await RecordActions(options: options, type: "solar.utility_account")
          .list(RecordQuery(), columns: ["endpoint", "auth_ref", "site_id", "id"])
      }
    }

    struct Set: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Set the utility account of a site",
        scope: .company,
        discussion: """
          Recordings are sent as JSON by HTTPS POST. The utility accepts a recording with 2xx, or with 409 if it has \
          received it before. --auth-ref names a file of the operator, <secrets>/<company>/<name>; its first line is \
          sent as a bearer token, and only to addresses that begin with one of its further lines, if there are any. \
          The folder is FETTLE_SECRETS, or `secrets` beside the database.

          Example:
            fettle solar utility set Roof https://grid.example/readings --auth-ref grid
          """
      )
      @OptionGroup var options: RecordOptions
      @OptionGroup var change: ChangeOptions
      @Argument(help: "Name or id of the site") var site: String
      @Argument(help: "HTTPS address that accepts POST") var endpoint: String
      @Option(help: ArgumentHelp("Name of the operator's file with the bearer token", valueName: "name"))
      var authRef: String?

      func run() async throws {
        let existing = try await options.company.withActingContext { services, acting -> String? in
          let records = try await Records.open(services)
          let id = try await records.resolve(acting, type: "solar.site", site)
          var query = RecordQuery()
          query.filters.append(("site_id", id.text))
          return try await records.list(acting, type: "solar.utility_account", query).first?["id"]?.string
        }
        var fields: JSONObject = [
          "endpoint": .string(endpoint), "auth_ref": authRef.map { .string($0) } ?? .null,
        ]
        let actions = RecordActions(options: options, type: "solar.utility_account")
        if let existing {
          try await actions.update(change, existing, fields, version: nil)
        } else {
          fields["site_id"] = .string(site)
          try await actions.create(change, fields)
        }
      }
    }
  }
}
