internal import FoundationEssentials
internal import Terminal

/// Prints the table of synchronisation and the conditions of the measurement.
enum SyncReport {
  static func print(_ lines: [SyncLine], facts: [(name: String, value: String)], plan: SyncPlan) {
    let table = Table(
      columns: [
        Column("figure"), Column("ours", title: "ours, median", kind: .number),
        Column("ours_spread", title: "spread", alignment: .right), Column("unit"),
        Column("peer", title: "beside"), Column("theirs", title: "median", kind: .number),
        Column("theirs_spread", title: "spread", alignment: .right), Column("ratio", kind: .number),
        Column("ratio_spread", title: "spread", alignment: .right), Column("target", alignment: .right),
        Column("met"), Column("postgres", title: "PostgreSQL us, ours", kind: .number),
        Column("postgres_theirs", title: "its", kind: .number),
        Column("server", title: "server us, ours", kind: .number),
        Column("server_theirs", title: "its", kind: .number),
      ],
      rows: lines.map(row)
    )
    Swift.print(OutputFormat.table.render(table, on: .pipe), terminator: "")
    Swift.print(
      """

      Median and spread (minimum - maximum) of \(plan.rounds) rounds, ours and theirs in alternation; rates over \
      \(plan.seconds) s, p50 and p99 of \(plan.samples) requests. Ratio: the median of the ratios per round. CPU: \
      microseconds per change or record, of PostgreSQL and of the server in front of it. Changes are creations of \
      maintenance entries with history, answers, feed and row-level security; every answer is checked. Kinto stores each \
      with PUT in a batch and repeats those that it refuses.
      """
    )
    let machine = (
      "processors",
      "\(ProcessInfo.processInfo.activeProcessorCount), for servers and devices together"
    )
    Swift.print(([machine] + facts).map { "\($0.0) \($0.1)" }.joined(separator: "; ") + ".")
  }

  private static func row(_ line: SyncLine) -> [Cell] {
    let hasPeer = !line.theirs.isEmpty
    let hasRatio = hasPeer && line.ratios.allSatisfy(\.isFinite)
    return [
      .string(line.name), .number(line.ours.isEmpty ? line.remark ?? "?" : JobReport.text(line.ours.median)),
      .string(spread(line.ours)), .string(line.unit), .string(line.peer),
      .number(hasPeer ? JobReport.text(line.theirs.median) : ""), .string(spread(line.theirs)),
      .number(hasRatio ? JobReport.text(line.ratios.median) : ""),
      .string(hasRatio ? spread(line.ratios) : ""), .string(target(line.target)),
      .string(line.isMet.map { $0 ? "yes" : "no" } ?? ""), .number(cpu(line.database.ours)),
      .number(cpu(line.database.theirs)), .number(cpu(line.program.ours)), .number(cpu(line.program.theirs)),
    ]
  }

  private static func target(_ target: SyncLine.Target?) -> String {
    switch target {
    case .ratioAtLeast(let bound): "ratio >= \(JobReport.text(bound))"
    case .ratioAtMost(let bound): "ratio <= \(JobReport.text(bound))"
    case .atLeast(let bound): "ours >= \(JobReport.text(bound))"
    case .atMost(let bound): "ours <= \(JobReport.text(bound))"
    case .above(let bound): "ours - its <= \(JobReport.text(bound))"
    case nil: ""
    }
  }

  private static func cpu(_ value: Double) -> String { value.isFinite ? JobReport.text(value) : "" }

  private static func spread(_ values: [Double]) -> String {
    guard let least = values.min(), let most = values.max() else { return "" }
    return "\(JobReport.text(least)) - \(JobReport.text(most))"
  }
}
