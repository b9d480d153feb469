internal import FoundationEssentials
internal import Glibc
internal import Terminal

/// A table of figures, and the conditions of the measurement.
struct Report {
  let cpu: [String]
  var aim = "aim"
  /// True for a column that says whether the bound was kept.
  var showsMet = false
  let sharers: String
  let text: String

  /// Writes the name of the current measurement to standard error.
  static func progress(_ what: String) {
    let line = "bench: \(what)\n"
    // A failure is ignored, because progress is not essential.
    _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
  }

  func print(_ lines: [Line], _ plan: Plan, facts: [(String, String)]) {
    let table = Table(
      columns: [
        Column("figure"), Column("ours", title: "ours, median", kind: .number),
        Column("ours_spread", title: "spread", alignment: .right), Column("unit"),
        Column("peer", title: "beside"), Column("theirs", title: "median", kind: .number),
        Column("theirs_spread", title: "spread", alignment: .right), Column("ratio", kind: .number),
        Column("ratio_spread", title: "spread", alignment: .right), Column(aim, alignment: .right),
      ] + (showsMet ? [Column("met")] : [])
        + cpu.flatMap { meter in
          [("ours", "\(meter) us, ours"), ("theirs", "its")].map { side, title in
            Column("\(meter)_\(side)", title: title, kind: .number)
          }
        },
      rows: lines.map(row)
    )
    Swift.print(OutputFormat.table.render(table, on: .pipe), terminator: "")
    Swift.print(
      """

      Median and spread (minimum - maximum) of \(plan.rounds) rounds of \(plan.seconds) s in alternation. Ratio: the median \
      of the ratios per round. \(text)
      """
    )
    let machine = ("processors", "\(ProcessInfo.processInfo.activeProcessorCount), for \(sharers) together")
    Swift.print(([machine] + facts).map { "\($0.0) \($0.1)" }.joined(separator: "; ") + ".")
  }

  private func row(_ line: Line) -> [Cell] {
    let (ours, theirs) = (line.ours.map(\.value), line.theirs.map(\.value))
    let ratios = line.ratios.allSatisfy(\.isFinite) ? line.ratios : []
    return [
      .string(line.name), .number(Self.median(ours)), .string(Self.spread(ours)), .string(line.unit),
      .string(line.peer), .number(Self.median(theirs)), .string(Self.spread(theirs)),
      .number(Self.median(ratios)), .string(Self.spread(ratios)), .string(line.aim?.description ?? ""),
    ] + (showsMet ? [.string(line.isMet.map { $0 ? "yes" : "no" } ?? "")] : [])
      + cpu.indices.flatMap { meter in
        [line.ours, line.theirs].map { readings in
          let known = readings.compactMap { $0.cpu.indices.contains(meter) ? $0.cpu[meter] : nil }
          return .number(Self.median(known.filter(\.isFinite)))
        }
      }
  }

  private static func median(_ values: [Double]) -> String { values.isEmpty ? "" : text(values.median) }

  private static func spread(_ values: [Double]) -> String {
    guard let least = values.min(), let most = values.max() else { return "" }
    return "\(text(least)) - \(text(most))"
  }

  /// Returns the value as text: whole from 100 on, with two decimals below.
  static func text(_ value: Double) -> String {
    guard value.isFinite else { return "?" }
    if abs(value) >= 100 { return Terminal.Figures.grouped(Int(value.rounded())) }
    let number = Int((value * 100).rounded())
    let rest = abs(number % 100)
    return "\(number / 100).\(rest < 10 ? "0" : "")\(rest)"
  }

  static func text(_ number: Int) -> String { Terminal.Figures.grouped(number) }
}
