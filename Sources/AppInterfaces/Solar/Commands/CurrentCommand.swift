internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Terminal

extension SolarCommand {
  struct CurrentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "current",
      abstract: "Show the current power of sites",
      scope: .company,
      discussion: """
        Sites without samples are omitted. If the site is named, the command fails with no_reading (exit 3).

        Examples:
          fettle solar current -c acme
          fettle solar current Roof -c acme --output json
        """
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: "Site (default: all)") var site: String?

    func run() async throws {
      try await options.company.withActingContext { services, acting in
        let energy = Energy(services)
        guard let site else {
          let readings = try await energy.current(acting)
          return try options.output.print(Self.table(readings))
        }
        let id = try await Records.open(services).resolve(acting, type: "solar.site", site)
        let reading = try await energy.current(acting, site: id)
        let table = Self.table([reading])
        try options.output.printRecord(Array(zip(table.columns, table.rows[0])))
      }
    }

    private static func table(_ readings: [CurrentReading]) -> Table {
      Table(
        columns: [
          Column("site"), Column("inverter_reading", kind: .number), Column("meter_reading", kind: .number),
          Column("timestamp", kind: .instant), Column("age_seconds", kind: .number), Column("stale"),
        ],
        rows: readings.map { reading in
          [
            .string(reading.siteName), .figure(reading.inverterReading), .figure(reading.meterReading),
            Cell(reading.timestamp), .integer(reading.ageSeconds), .bool(reading.isStale),
          ]
        }
      )
    }
  }
}

extension Cell {
  /// Returns a cell with a number from PostgreSQL, exact to its last digit; nil becomes null.
  static func figure(_ text: String?) -> Cell { text.map { .number($0) } ?? .null }
}
