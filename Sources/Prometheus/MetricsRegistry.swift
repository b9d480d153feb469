package import CoreMetrics
internal import Synchronization

/// The metrics of a process, recorded through the metrics API and written in Prometheus's text format.
///
/// Equal names and labels give the same metric. The number of label sets per metric is limited, so that ids
/// in labels cannot fill the memory of the process or of Prometheus. Further label sets are counted together
/// under the value `other`.
package final class MetricsRegistry: MetricsFactory, Sendable {
  /// A metric with its label sets.
  private struct Family {
    let description: MetricDescription
    var cells: [[String]: Cell] = [:]
  }

  /// The value of one label set.
  enum Cell: Sendable {
    case counter(CounterCell)
    case gauge(GaugeCell)
    case histogram(HistogramCell)

    var kind: MetricDescription.Kind {
      switch self {
      case .counter: .counter
      case .gauge: .gauge
      case .histogram: .histogram
      }
    }
  }

  private struct State {
    var families: [String: Family] = [:]
    var collectors: [@Sendable () -> Void] = []
  }

  /// Counts the uses of label sets beyond the limit, by metric.
  static let overflow = MetricDescription(
    "fettle_metrics_overflows_total",
    .counter,
    "Label sets beyond the limit of a metric; they are counted under the value other.",
    labels: ["metric"]
  )
  /// The value of every label of a label set beyond the limit.
  private static let other = "other"
  private static let longestValue = 128

  private let described: [String: MetricDescription]
  private let mostSeries: Int
  private let state = Mutex(State())

  /// - Parameters:
  ///   - descriptions: the descriptions of known metrics.
  ///   - mostSeries: the maximum number of label sets per metric.
  package init(_ descriptions: [MetricDescription], mostSeries: Int = 1_000) {
    described = Dictionary((descriptions + [Self.overflow]).map { ($0.name, $0) }) { _, last in last }
    self.mostSeries = mostSeries
  }

  /// Registers a closure that runs before metrics are written, for example to read the process's resource
  /// usage.
  package func beforeReading(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.collectors.append(body) }
  }

  /// Returns all metrics in text format version 0.0.4, by name.
  package func text() -> String {
    for collect in state.withLock(\.collectors) { collect() }
    let families = state.withLock { Array($0.families.values) }
    var writer = ExpositionWriter()
    for family in families.sorted(by: { $0.description.name < $1.description.name })
    where !family.cells.isEmpty {
      writer.begin(family.description)
      for (values, cell) in family.cells.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
        writer.write(cell, Array(zip(family.description.labels, values)), of: family.description)
      }
    }
    return writer.text
  }

  // Conformance to MetricsFactory. If a name is in use for another type of metric, the handler does nothing.

  package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    guard case .counter(let cell) = cell(label, .counter, dimensions) else {
      return NOOPMetricsHandler.instance
    }
    return cell
  }

  package func makeFloatingPointCounter(label: String, dimensions: [(String, String)])
    -> any FloatingPointCounterHandler
  {
    guard case .counter(let cell) = cell(label, .counter, dimensions) else {
      return NOOPMetricsHandler.instance
    }
    return cell
  }

  package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    guard case .gauge(let cell) = cell(label, .gauge, dimensions) else { return NOOPMetricsHandler.instance }
    return cell
  }

  package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool)
    -> any RecorderHandler
  {
    switch cell(label, aggregate ? .histogram : .gauge, dimensions) {
    case .histogram(let cell): cell
    case .gauge(let cell): cell
    default: NOOPMetricsHandler.instance
    }
  }

  package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    guard case .histogram(let cell) = cell(label, .histogram, dimensions) else {
      return NOOPMetricsHandler.instance
    }
    return cell
  }

  package func destroyCounter(_ handler: any CounterHandler) { remove(handler) }

  package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { remove(handler) }

  package func destroyMeter(_ handler: any MeterHandler) { remove(handler) }

  package func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }

  package func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

  /// Returns the value of a metric with these labels; nil if the name is in use for another type of metric,
  /// which is a programming error.
  private func cell(_ label: String, _ kind: MetricDescription.Kind, _ dimensions: [(String, String)])
    -> Cell?
  {
    let name = MetricDescription.legal(label)
    let (found, isBeyond) = state.withLock { state -> (Cell?, Bool) in
      var family =
        state.families[name]
        ?? Family(
          description: described[name]
            ?? MetricDescription(
              name,
              kind,
              "\(label).",
              labels: dimensions.map { MetricDescription.legal($0.0) }
            )
        )
      guard family.description.kind == kind else { return (nil, false) }
      let given = Dictionary(dimensions.map { (MetricDescription.legal($0.0), $0.1) }) { _, last in last }
      var values = family.description.labels.map { String((given[$0] ?? "").prefix(Self.longestValue)) }
      if let cell = family.cells[values] { return (cell, false) }
      let isBeyond = family.cells.count >= mostSeries
      if isBeyond {
        values = values.map { _ in Self.other }
        if let cell = family.cells[values] { return (cell, true) }
      }
      let cell = Self.make(family.description)
      family.cells[values] = cell
      state.families[name] = family
      return (cell, isBeyond)
    }
    if isBeyond, name != Self.overflow.name {
      makeCounter(label: Self.overflow.name, dimensions: [("metric", name)]).increment(by: 1)
    }
    return found
  }

  private static func make(_ description: MetricDescription) -> Cell {
    switch description.kind {
    case .counter: .counter(CounterCell())
    case .gauge: .gauge(GaugeCell())
    case .histogram: .histogram(HistogramCell(bounds: description.buckets))
    }
  }

  private func remove(_ handler: AnyObject) {
    state.withLock { state in
      for (name, family) in state.families {
        for (values, cell) in family.cells where cell.object === handler {
          state.families[name]?.cells[values] = nil
          return
        }
      }
    }
  }
}

extension MetricsRegistry.Cell {
  fileprivate var object: AnyObject {
    switch self {
    case .counter(let cell): cell
    case .gauge(let cell): cell
    case .histogram(let cell): cell
    }
  }
}
