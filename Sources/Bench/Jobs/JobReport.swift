internal import FoundationEssentials
internal import Terminal

/// The table of the queue, and the information needed to judge it.
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

      Medians and (least - greatest) of \(plan.rounds) rounds, ours and theirs in turns; the ratio is the median of the \
      rounds' own. CPU is that of the server's processes and of the worker processes, a job. Every job of a drain has a \
      payload of its own, which its handler read once, and is recorded as succeeded: both are checked. A worker runs 8 jobs \
      at once, claims up to 1,000 and keeps up to 2,000 at hand, as it does by default. Claims do not wait for the disk, \
      since a lost one is only made again; queued rows, and the ends of jobs, do.
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

  /// Returns the value with three significant digits.
  static func text(_ value: Double) -> String {
    guard value.isFinite else { return "?" }
    if abs(value) >= 100 { return Terminal.Figures.grouped(Int(value.rounded())) }
    let number = Int((value * 100).rounded())
    let rest = abs(number % 100)
    return "\(number / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
}
