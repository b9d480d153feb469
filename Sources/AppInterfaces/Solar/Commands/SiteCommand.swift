internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store

extension SolarCommand {
  struct SiteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "site",
      abstract: "Manage solar sites",
      discussion: "Example: fettle solar site add Roof --timezone Asia/Kathmandu -c acme",
      subcommands: [List.self, Show.self, Add.self, Update.self],
      defaultSubcommand: List.self
    )

    struct List: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "List sites",
        scope: .company,
        discussion: "Example: fettle solar site list -c acme"
      )
      @OptionGroup var options: RecordOptions

      func run() async throws {
        var query = RecordQuery()
        query.sort = "name"
        query.limit = 1_000
        try await RecordActions(options: options, type: "solar.site").list(
          query,
          columns: ["name", "timezone", "capacity_kw", "source_kind", "poll_seconds", "id"]
        )
      }
    }

    struct Show: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Show a site",
        scope: .company,
        discussion: "Example: fettle solar site show Roof -c acme"
      )
      @OptionGroup var options: RecordOptions
      @Argument(help: "Name or id of the site, or the beginning of the id") var site: String

      func run() async throws { try await RecordActions(options: options, type: "solar.site").show(site) }
    }

    struct Add: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Add a site",
        scope: .company,
        discussion: """
          The days of a site begin at midnight in its time zone. With --poll, a worker fetches samples from the \
          address; otherwise a gateway sends samples, or people type them.

          Examples:
            fettle solar site add Roof --capacity 9.8 -c acme
            fettle solar site add Barn --poll https://inverter.example/now --every 60
          """
      )
      @OptionGroup var options: RecordOptions
      @OptionGroup var change: ChangeOptions
      @Argument(help: "Name of the site") var name: String
      @Option(help: ArgumentHelp("Time zone (default: the company's)", valueName: "zone")) var timezone:
        String?
      @Option(help: ArgumentHelp("Peak power of the panels", valueName: "kW")) var capacity: String?
      @Option(help: ArgumentHelp("Address to poll for samples", valueName: "url")) var poll: String?
      @Option(help: ArgumentHelp("Seconds between polls, 10 to 86400 (default: 60)", valueName: "seconds"))
      var every: Int?
      @Option(
        help: ArgumentHelp("Name of the operator's file with the secret", valueName: "name")
      )
      var authRef: String?
      @OptionGroup var others: FieldPairs

      func run() async throws {
        let zone = try await options.company.withActingContext { _, acting in acting.company.timeZone }
        var fields: JSONObject = ["name": .string(name)]
        if let timezone { fields["timezone"] = .string(timezone) }
        if let capacity { fields["capacity_kw"] = .string(capacity) }
        if let every { fields["poll_seconds"] = .integer(every) }
        if let poll {
          var source: JSONObject = ["url": .string(poll)]
          if let authRef { source["auth_ref"] = .string(authRef) }
          fields["source_kind"] = "poll"
          fields["source_config"] = .object(source)
        }
        try await RecordActions(options: options, type: "solar.site")
          .create(change, try others.object(with: fields, otherwise: ["timezone": .string(zone)]))
      }
    }

    struct Update: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Change fields of a site",
        scope: .company,
        discussion: "Example: fettle solar site update Roof --set poll_seconds=30 -c acme"
      )
      @OptionGroup var options: RecordOptions
      @OptionGroup var change: ChangeOptions
      @Argument(help: "Name or id of the site") var site: String
      @OptionGroup var changes: FieldChanges

      func run() async throws {
        try await RecordActions(options: options, type: "solar.site")
          .update(change, site, try changes.object(), version: changes.ifVersion)
      }
    }
  }
}
