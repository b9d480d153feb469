/// Writes metrics in Prometheus's text format, version 0.0.4.
struct ExpositionWriter {
  private(set) var text = ""

  /// Writes the `# HELP` and `# TYPE` lines of a metric.
  mutating func begin(_ description: MetricDescription) {
    text += "# HELP \(description.name) \(Self.escaped(description.help))\n"
    text += "# TYPE \(description.name) \(description.kind.rawValue)\n"
  }

  mutating func write(
    _ cell: MetricsRegistry.Cell,
    _ labels: [(String, String)],
    of description: MetricDescription
  ) {
    switch cell {
    case .counter(let cell): line(description.name, labels, cell.value)
    case .gauge(let cell): line(description.name, labels, cell.value)
    case .histogram(let cell):
      let values = cell.values
      var count: UInt64 = 0
      for (bound, inBucket) in zip(cell.bounds + [.infinity], values.counts) {
        count += inBucket
        line("\(description.name)_bucket", labels + [("le", Self.number(bound))], Double(count))
      }
      line("\(description.name)_sum", labels, values.sum)
      line("\(description.name)_count", labels, Double(count))
    }
  }

  private mutating func line(_ name: String, _ labels: [(String, String)], _ value: Double) {
    text += name
    if !labels.isEmpty {
      text += "{" + labels.map { "\($0)=\"\(Self.escaped($1, quotes: true))\"" }.joined(separator: ",") + "}"
    }
    text += " \(Self.number(value))\n"
  }

  /// Returns the text with backslashes and line feeds escaped, and for label values quotes too.
  static func escaped(_ text: String, quotes: Bool = false) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\"" where quotes: escaped += "\\\""
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// Returns a number in Go's format; integers have no decimal point.
  static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    if value == value.rounded(), value.magnitude < 9e15 { return "\(Int64(value))" }
    return "\(value)"
  }
}
