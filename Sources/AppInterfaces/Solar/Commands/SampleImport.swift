internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Terminal

extension SolarCommand.SampleCommand {
  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Import samples from a CSV file",
      scope: .company,
      discussion: """
        The file has a heading line and times in RFC 3339. A time without an offset is the site's local time: one that \
        the clocks skipped is refused, one that they showed twice goes on in the order of the file, and is refused if \
        no line before it says which of the two it is. A line with is_reset or first_kwh begins a new counter. One \
        invalid line fails the whole import; with --skip-bad, the valid lines are imported. Importing a file twice \
        adds nothing. Stored samples with other numbers are kept and counted.

        Decimal sign and delimiter are found out from the whole file; state them if 1.355 can be read in two ways.

        Examples:
          fettle solar sample import Roof readings.csv -c acme
          fettle solar sample import Roof meter.csv --map taken_at=Time,meter_kwh=kWh
        """
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: "Name or id of the site") var site: String
    @Argument(help: "CSV file; - for standard input", completion: .file(extensions: ["csv"])) var file: String
    @Option(
      help: ArgumentHelp(
        "Headings for taken_at, inverter_kw, meter_kwh, first_kwh, is_reset (repeatable)",
        valueName: "column=Heading,…"
      )
    )
    var map: [String] = []
    @Option(
      help: ArgumentHelp(
        "Import the valid lines, and write the others with line and reason to this file",
        valueName: "file"
      ),
      completion: .file()
    )
    var skipBad: String?
    @Flag(help: "Check and count, then roll back") var dryRun = false
    @OptionGroup var layout: LayoutOptions
    @OptionGroup var numbers: NumberOptions

    func run() async throws {
      let columns =
        try map.isEmpty ? SampleColumns() : SampleColumns(ImportPlan.pairs(map, option: "--map"))
      if let skipBad { try RefusedLines.prepare(skipBad, besides: file) }
      try await options.onSite(site) { samples, acting, id in
        let outcome = try await samples.read(
          acting,
          site: id,
          path: file,
          layout: try layout.layout(of: file, only: .csv),
          columns: columns,
          notation: try numbers.notation(),
          skipsBad: skipBad != nil,
          dryRun: dryRun
        )
        if let skipBad { try RefusedLines.write(RefusedFile(outcome.form, outcome.refused), to: skipBad) }
        if !outcome.refused.isEmpty {
          Message.tell("\(Figures.grouped(outcome.refused.count)) lines were refused; see \(skipBad ?? "")")
        }
        try options.report(outcome, dryRun: dryRun)
      }
    }
  }
}
