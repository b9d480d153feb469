internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Terminal

extension TripFormat: ExpressibleByArgument {}

extension TripCommand {
  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Export a trip for a calendar or a map",
      scope: .company,
      discussion: """
        Example:
          fettle trip export Lofoten --format gpx --as ana@acme > lofoten.gpx
        """
    )
    @OptionGroup var company: CompanyOptions
    @Argument(help: "Title or id of the trip") var trip: String
    @Option(help: "Format: ics for calendars; geojson, gpx or kml for maps") var format: TripFormat = .ics

    func run() async throws {
      try await company.requireMember()
      try await company.withActingContext { services, acting in
        let records = try await Records.open(services)
        let id = try await records.resolve(acting, type: "trips.plan", trip)
        let document = try await TripReader(services, records).document(acting, plan: id)
        var out = BufferedOutput()
        try out.write(try format.text(document))
        try out.flush()
      }
    }
  }

  struct Copy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Copy a trip with its stops into a new draft",
      scope: .company,
      discussion: "Example: fettle trip copy Lofoten --title \"Lofoten again\" --as ana@acme"
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: "Title or id of the trip") var trip: String
    @Option(help: "Title of the copy (default: title of the trip)") var title: String?
    @OptionGroup var key: AdministrationOptions

    func run() async throws {
      try await options.requireMember()
      try await options.company.withActingContext { services, acting in
        // The words of the request, since a repetition is answered also if the trip is gone.
        let answer = try await key.once(services, acting, ["trip copy", trip, title]) {
          let records = try await Records.open(services)
          let id = try await records.resolve(acting, type: "trips.plan", trip)
          return try await TripCopy(services, records).make(acting, of: id, title: title)
        }
        try options.output.report(
          "copied \(trip) as trips.plan \(answer.id.text)",
          [
            (Column("type"), .string(answer.type)), (Column("id"), Cell(answer.id)),
            (Column("version"), .integer(answer.version)), (Column("status"), .optional(answer.status)),
          ]
        )
      }
    }
  }
}
