internal import FoundationEssentials
internal import Glibc
internal import Terminal

/// Prints the table of figures and the conditions of the measurement.
enum Report {
  /// Writes the name of the current measurement to standard error.
  static func progress(_ what: String) {
    let line = "bench: \(what)\n"
    // A failure is ignored, because progress is not essential.
    _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
  }

  static func print(_ figures: [Figure], facts: [(name: String, value: String)], plan: Plan) {
    let table = Table(
      columns: [
        Column("figure"), Column("ours", title: "ours, median", kind: .number),
        Column("ours_spread", title: "spread", alignment: .right), Column("unit"),
        Column("peer", title: "beside"), Column("theirs", title: "median", kind: .number),
        Column("theirs_spread", title: "spread", alignment: .right), Column("ratio", kind: .number),
        Column("ratio_spread", title: "spread", alignment: .right), Column("aim", kind: .number),
        Column("cpu", title: "CPU us, ours", kind: .number),
        Column("cpu_theirs", title: "its", kind: .number),
      ],
      rows: figures.map(row)
    )
    Swift.print(OutputFormat.table.render(table, on: .pipe), terminator: "")
    Swift.print(
      "\nMedian and spread (minimum - maximum) of \(plan.rounds) rounds of \(plan.seconds) s in alternation."
    )
    Swift.print(
      "Ratio: the median of the ratios per round. \(plan.clients) callers unless a figure says otherwise."
    )
    let machine = (
      "processors", "\(ProcessInfo.processInfo.activeProcessorCount), for server and callers together"
    )
    Swift.print(([machine] + facts).map { "\($0.0) \($0.1)" }.joined(separator: "; ") + ".")
  }

  private static func row(_ figure: Figure) -> [Cell] {
    [
      .string(figure.name), .number(whole(figure.ours.median)), .string(spread(figure.ours, whole)),
      .string(figure.unit), .string(figure.peer), .number(whole(figure.theirs.median)),
      .string(spread(figure.theirs, whole)), .number(hundredths(figure.ratios.median)),
      .string(spread(figure.ratios, hundredths)), .number(figure.aim.map(hundredths) ?? ""),
      .number(figure.cpu.map { whole($0.ours) } ?? ""), .number(figure.cpu.map { whole($0.theirs) } ?? ""),
    ]
  }

  private static func spread(_ values: [Double], _ text: (Double) -> String) -> String {
    "\(text(values.min() ?? .nan)) - \(text(values.max() ?? .nan))"
  }

  private static func whole(_ value: Double) -> String {
    value.isFinite ? Terminal.Figures.grouped(Int(value.rounded())) : "?"
  }

  private static func hundredths(_ value: Double) -> String {
    guard value.isFinite else { return "?" }
    let number = Int((value * 100).rounded())
    let rest = number % 100
    return "\(number / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
}
