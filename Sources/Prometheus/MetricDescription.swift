/// What a metric is called and what it says, as Prometheus wants to know it.
///
/// The metrics API has no place for help texts, buckets or the labels that are allowed; they are described here, and
/// what is not described is exported under its own name with every label that it brings.
package struct MetricDescription: Sendable, Hashable {
  /// How its values are to be understood.
  package enum Kind: String, Sendable {
    /// Only grows, until the process ends.
    case counter
    /// Goes up and down.
    case gauge
    /// How often a value was no greater than each bound.
    case histogram
  }

  package let name: String
  package let kind: Kind
  /// One sentence for people.
  package let help: String
  /// The labels it may have, in the order in which they are written; others are left out.
  package let labels: [String]
  /// Upper bounds of a histogram's buckets, ascending; that without a bound is added.
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

  /// Bounds for how long something took: from what a handler without I/O needs to what a long import does.
  package static let seconds: [Double] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800,
  ]

  /// A name that Prometheus takes: letters, digits, underscores and colons, and no digit first.
  static func legal(_ name: String) -> String {
    let text = String(
      name.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ":") ? $0 : "_" }
    )
    return text.first.map { $0.isNumber } ?? true ? "_" + text : text
  }
}
