internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Terminal

extension TripCommand {
  struct StopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "stop",
      abstract: "Manage the stops of a trip",
      discussion: "Example: fettle trip stop list Lofoten --as ana@acme",
      subcommands: [List.self, Add.self, Update.self],
      defaultSubcommand: List.self
    )

    struct List: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "List the stops of a trip in order",
        scope: .company,
        discussion: "Example: fettle trip stop list Lofoten --as ana@acme"
      )
      @OptionGroup var options: RecordOptions
      @Argument(help: "Title or id of the trip") var trip: String

      func run() async throws {
        try await options.requireMember()
        try await options.company.withActingContext { services, acting in
          let records = try await Records.open(services)
          let id = try await records.resolve(acting, type: "trips.plan", trip)
          let stops = try await TripReader(services, records).stops(acting, plan: id)
          var table = RecordTable(type: try records.catalogue.type("trips.stop")).list(stops)
          if options.output.output == .table, options.output.columns == nil {
            let shown = "day_no,visit_on,position,name,best_light,lat,lon,notes,id"
            table = ShortID.shortening(try table.selecting(shown), on: Screen.output)
          }
          try options.output.print(table)
        }
      }
    }

    struct Add: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Add a stop to a trip",
        scope: .company,
        discussion: """
          Example:
            fettle trip stop add Lofoten "Hamnøy bridge" --day 1 --light blue_hour
          """
      )
      @OptionGroup var options: RecordOptions
      @OptionGroup var change: ChangeOptions
      @Argument(help: "Title or id of the trip") var trip: String
      @Argument(help: "Name of the place") var name: String
      @Option(help: "Day of the trip, from 1 (default: 1)") var day: Int?
      @Option(help: "Position within the day (default: last)") var position: Int?
      @Option(parsing: .unconditional, help: ArgumentHelp("Coordinates in degrees", valueName: "lat,lon"))
      var at: String?
      @Option(help: "Best light: sunrise, golden_am, day, golden_pm, blue_hour or night") var light: String?
      @Option(help: "Notes") var notes: String?
      @OptionGroup var others: FieldPairs

      func run() async throws {
        try await options.requireMember()
        let day = day ?? 1
        let next = try await options.company.withActingContext { services, acting in
          let records = try await Records.open(services)
          let id = try await records.resolve(acting, type: "trips.plan", trip)
          let stops = try await TripReader(services, records).stops(acting, plan: id)
          let last =
            stops.filter { $0["day_no"]?.number?.integer == Int64(day) }
            .compactMap { $0["position"]?.number?.integer }.max() ?? 0
          return Int(last) + 1
        }
        var fields: JSONObject = [
          "plan_id": .string(trip), "name": .string(name),
        ]
        if let given = self.day { fields["day_no"] = .integer(given) }
        if let position { fields["position"] = .integer(position) }
        if let at {
          let halves = at.split(separator: ",").map { String($0).trimmingSpaces() }
          guard halves.count == 2 else {
            throw DomainError(
              .invalidInput,
              "\(Quoted(at)) is not lat,lon",
              hint: "write --at 67.9443,13.1342"
            )
          }
          fields["lat"] = .string(halves[0])
          fields["lon"] = .string(halves[1])
        }
        if let light { fields["best_light"] = .string(light) }
        if let notes { fields["notes"] = .string(notes) }
        let defaults: JSONObject = ["day_no": .integer(day), "position": .integer(next)]
        try await RecordActions(options: options, type: "trips.stop")
          .create(change, try others.object(with: fields, otherwise: defaults))
      }
    }

    struct Update: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Change or move a stop",
        scope: .company,
        discussion: "Example: fettle trip stop update 01a1… --set day_no=2 --as ana@acme"
      )
      @OptionGroup var options: RecordOptions
      @OptionGroup var change: ChangeOptions
      @Argument(help: "Id of the stop, or its beginning") var stop: String
      @OptionGroup var changes: FieldChanges

      func run() async throws {
        try await options.requireMember()
        try await RecordActions(options: options, type: "trips.stop")
          .update(change, stop, try changes.object(), version: changes.ifVersion)
      }
    }
  }
}
