internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Glibc
internal import Store
internal import Terminal

extension ShareLevel: ExpressibleByArgument {}

extension TripCommand {
  struct ShareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "share",
      abstract: "Manage share links of trips",
      discussion: "Example: fettle trip share add Lofoten --days 30 --as ana@acme",
      subcommands: [List.self, Add.self, Revoke.self, Open.self],
      defaultSubcommand: List.self
    )

    struct List: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "List your share links, without their secrets",
        scope: .company,
        discussion: "Example: fettle trip share list --as ana@acme"
      )
      @OptionGroup var options: RecordOptions

      func run() async throws {
        try await options.requireMember()
        try await RecordActions(options: options, type: "trips.plan_share").list(
          RecordQuery(),
          columns: ["plan_id", "level", "expires_at", "revoked_at", "is_usable", "created_at", "id"]
        )
      }
    }

    struct Add: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Create a share link of a trip, shown only once",
        scope: .company,
        discussion: """
          Examples:
            fettle trip share add Lofoten --as ana@acme
            fettle trip share add Lofoten --level edit --days 30 --as ana@acme
          """
      )
      @OptionGroup var options: RecordOptions
      @Argument(help: "Title or id of the trip") var trip: String
      @Option(help: "Access; edit allows to change the trip and its stops") var level: ShareLevel = .read
      @Option(help: "Days until the link expires, 1 to 3650 (default: never)") var days: Int?
      @OptionGroup var key: AdministrationOptions

      /// The answer that a repetition gets.
      private struct Added: Codable {
        let id: UUID
        let link: String
        let expiresAt: String?
      }

      func validate() throws {
        if let days, !(1...3_650).contains(days) { throw ValidationError("--days must be 1 to 3650") }
      }

      func run() async throws {
        try await options.requireMember()
        let expiry = days.map { Instant(seconds: Int64(time(nil)) + Int64($0) * 86_400) }
        try await options.company.withActingContext { services, acting in
          // The words of the request, since a repetition is answered also if the trip is gone.
          let request = ["trip share", trip, level.rawValue, days.map(String.init)]
          let added = try await key.once(services, acting, request) {
            let records = try await Records.open(services)
            let id = try await records.resolve(acting, type: "trips.plan", trip)
            let issued = try await Shares(services, records)
              .create(acting, plan: id, level: level, expiresAt: expiry)
            return Added(id: issued.id, link: issued.text, expiresAt: expiry?.rfc3339)
          }
          if !key.dryRun {
            Message.tell("anybody with this link may \(level.rawValue) the trip; the link is not shown again")
          }
          try options.output.report(
            key.dryRun ? "a link with which anybody may \(level.rawValue) the trip" : added.link,
            [
              (Column("id"), Cell(added.id)), (Column("link"), key.dryRun ? .null : .string(added.link)),
              (Column("level"), .string(level.rawValue)), (Column("expires_at"), .optional(added.expiresAt)),
            ]
          )
        }
      }
    }

    struct Revoke: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Revoke a share link",
        scope: .company,
        discussion: "Example: fettle trip share revoke 01a1… --as ana@acme"
      )
      @OptionGroup var options: RecordOptions
      @OptionGroup var key: AdministrationOptions
      @Argument(help: "Id of the link, or its beginning") var share: String

      func run() async throws {
        try await options.requireMember()
        try await key.change(options.company, options.output) { services, acting in
          let records = try await Records.open(services)
          let id = try await records.resolve(acting, type: "trips.plan_share", share)
          try await Shares(services, records).revoke(acting, id: id)
          return ChangeReport("revoked \(share)", [(Column("id"), Cell(id))])
        }
      }
    }

    struct Open: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Show the trip of a share link, read from standard input",
        scope: .shareLink,
        discussion: "Example: fettle trip share open < link.txt"
      )
      @OptionGroup var connection: ConnectionOptions
      @OptionGroup var output: OutputOptions

      func run() async throws {
        guard let link = readLine()?.trimmingSpaces(), !link.isEmpty else {
          throw DomainError(.missingFields, "no link is given", hint: "write the link to standard input")
        }
        try await connection.withServices { services in
          let records = try await Records.open(services)
          let shares = Shares(services, records)
          let (plan, stops) = try await shares.show(try await shares.redeem(link))
          let fields = RecordTable(type: try records.catalogue.type("trips.plan")).fields(plan)
          let places = stops.map { Cell(.object($0)) }
          try output.printRecord(fields + [(Column("stops"), .list(places))])
        }
      }
    }
  }
}
