internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Postgres
internal import Terminal

extension SolarCommand {
  struct DailyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "daily",
      abstract: "Show the energy of a site by day in its time zone",
      scope: .company,
      discussion: """
        A reading below the one before, or above what the site's capacity allows, does not count until later readings \
        confirm it, or until the counter is said to be new with `fettle solar sample reset`. Without a capacity, the \
        limit is the greatest power of the site's samples, at least 100 kW. A gap of more than an hour is flagged on \
        the day on which it ended; --spread divides its energy among its days.

        Examples:
          fettle solar daily Roof -c acme
          fettle solar daily Roof --from 2026-03-01 --to 2026-03-31 --spread
        """
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: "Name or id of the site") var site: String
    @Option(help: ArgumentHelp("First day (default: 30 days before the last)", valueName: "yyyy-mm-dd"))
    var from: String?
    @Option(help: ArgumentHelp("Last day (default: today in the site's time zone)", valueName: "yyyy-mm-dd"))
    var to: String?
    @Flag(help: "Divide energy counted across midnight among its days") var spread = false

    func run() async throws {
      let first = try from.map { text in try LocalDate(parsing: text) }
      let last = try to.map { text in try LocalDate(parsing: text) }
      try await options.company.withActingContext { services, acting in
        let records = try await Records.open(services)
        let id = try await records.resolve(acting, type: "solar.site", site)
        let days = try await Energy(services)
          .daily(acting, site: id, from: first, through: last, spread: spread)
        try options.output.print(
          Table(
            columns: [
              Column("date"), Column("kwh", kind: .number), Column("peak_kw", kind: .number),
              Column("longest_gap_seconds", kind: .number), Column("gap"),
              Column("uncounted", kind: .number), Column("left_out_kwh", kind: .number),
            ],
            rows: days.map { day in
              [
                .string(day.date.description), .figure(day.kwh), .figure(day.peakKW),
                day.longestGapSeconds.map { .integer($0) } ?? .null, .bool(day.endsGap),
                .integer(day.uncounted), .figure(day.leftOutKWh),
              ]
            }
          )
        )
        let doubtful = days.filter { !$0.isWhole }
        if let first = doubtful.first {
          let shown = try await records.show(acting, type: "solar.site", id: id)
          let capacity =
            shown["capacity_kw"]?.isNull == false || !days.contains(where: \.leavesOut)
            ? ""
            : "first set the capacity of the site, which is unknown, with `fettle solar site update SITE --set "
              + "capacity_kw=KW`; then "
          Message.tell(
            "\(doubtful.count) \(doubtful.count == 1 ? "day has" : "days have") meter readings that do not count, first "
              + "\(first.date); \(capacity)correct them with `fettle solar sample fix`, or say that the meter was "
              + "replaced with `fettle solar sample reset SITE --at TIME`"
          )
        }
      }
    }
  }
}
