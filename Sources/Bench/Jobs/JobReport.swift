internal import FoundationEssentials
internal import Terminal

/// Prints the table of the queue and the conditions of the measurement.
enum JobReport {
  static func print(_ lines: [JobLine], facts: [(name: String, value: String)], plan: JobPlan) {
    let table = Table(
      columns: [
        Column("figure"), Column("ours", title: "ours, median", kind: .number),
        Column("ours_spread", title: "spread", alignment: .right), Column("unit"),
        Column("peer", title: "beside"),
        Column("theirs", title: "median", kind: .number),
        Column("theirs_spread", title: "spread", alignment: .right), Column("ratio", kind: .number),
        Column("ratio_spread", title: "spread", alignment: .right), Column("aim", alignment: .right),
        Column("server", title: "server us, ours", kind: .number),
        Column("server_theirs", title: "its", kind: .number),
        Column("worker", title: "worker us, ours", kind: .number),
        Column("worker_theirs", title: "its", kind: .number),
      ],
      rows: lines.map(row)
    )
    Swift.print(OutputFormat.table.render(table, on: .pipe), terminator: "")
    Swift.print(
      """

      Median and spread (minimum - maximum) of \(plan.rounds) rounds, ours and theirs in alternation. Ratio: the median \
      of the ratios per round. CPU: microseconds per job of the server's processes and of the worker processes. Each job \
      of a drain has its own payload; the bench checks that its handler ran once and that it is recorded as succeeded. \
      Workers have the default settings: 8 concurrent jobs, up to 1,000 jobs per claim and 2,000 claimed jobs that have \
      not started. Claims do not wait for the disk, since a lost claim is repeated; queued rows and acknowledgements do.
      """
    )
    let machine = (
      "processors",
      "\(ProcessInfo.processInfo.activeProcessorCount), for server, workers and callers together"
    )
    Swift.print(([machine] + facts).map { "\($0.0) \($0.1)" }.joined(separator: "; ") + ".")
  }

  private static func row(_ line: JobLine) -> [Cell] {
    let ratio = line.theirs.isEmpty ? Double.nan : line.ratios.median
    let aim = line.atLeast.map { ">= \(text($0))" } ?? line.atMost.map { "ours <= \(text($0))" } ?? ""
    return [
      .string(line.name), .number(text(line.ours.median)), .string(spread(line.ours)), .string(line.unit),
      .string(line.peer), .number(line.theirs.isEmpty ? "" : text(line.theirs.median)),
      .string(line.theirs.isEmpty ? "" : spread(line.theirs)), .number(ratio.isFinite ? text(ratio) : ""),
      .string(ratio.isFinite ? spread(line.ratios) : ""), .string(aim), .number(cpu(line.serverCPU?.ours)),
      .number(cpu(line.serverCPU?.theirs)), .number(cpu(line.workerCPU?.ours)),
      .number(cpu(line.workerCPU?.theirs)),
    ]
  }

  private static func cpu(_ value: Double?) -> String { value.map { $0.isFinite ? text($0) : "" } ?? "" }

  private static func spread(_ values: [Double]) -> String {
    "\(text(values.min() ?? .nan)) - \(text(values.max() ?? .nan))"
  }

  /// Returns the value as text: whole from 100 on, with two decimals below.
  static func text(_ value: Double) -> String {
    guard value.isFinite else { return "?" }
    if abs(value) >= 100 { return Terminal.Figures.grouped(Int(value.rounded())) }
    let number = Int((value * 100).rounded())
    let rest = abs(number % 100)
    return "\(number / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
}
