/// The name, help text, labels and buckets of a Prometheus metric.
///
/// The metrics API has no place for help texts, buckets and allowed labels. A metric without a description is
/// exported under its own name with all its labels.
package struct MetricDescription: Sendable, Hashable {
  /// The type of a metric.
  package enum Kind: String, Sendable {
    /// A value that only increases while the process runs.
    case counter
    /// A value that increases and decreases.
    case gauge
    /// The number of values per bucket, and their sum.
    case histogram
  }

  package let name: String
  package let kind: Kind
  /// The help text: one sentence.
  package let help: String
  /// The allowed labels in output order; other labels are dropped.
  package let labels: [String]
  /// The upper bounds of a histogram's buckets, ascending. The bucket `+Inf` is added.
  package let buckets: [Double]

  package init(
    _ name: String,
    _ kind: Kind,
    _ help: String,
    labels: [String] = [],
    buckets: [Double] = MetricDescription.seconds
  ) {
    self.name = name
    self.kind = kind
    self.help = help
    self.labels = labels
    self.buckets = kind == .histogram ? buckets : []
  }

  /// Default bucket bounds in seconds, from a handler without I/O to a long import.
  package static let seconds: [Double] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800,
  ]

  /// Returns a valid Prometheus name: other characters than ASCII letters, digits, underscores and colons
  /// become underscores, and an underscore precedes an initial digit.
  static func legal(_ name: String) -> String {
    let text = String(
      name.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ":") ? $0 : "_" }
    )
    return text.first.map { $0.isNumber } ?? true ? "_" + text : text
  }
}
