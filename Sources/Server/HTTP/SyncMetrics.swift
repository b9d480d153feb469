package import CoreMetrics
package import Prometheus
internal import Synchronization

/// Counts what devices send and ask for. Companies, members and devices are never labels.
package final class SyncMetrics: Sendable {
  /// The descriptions of the metrics.
  package static let descriptions = [
    MetricDescription("fettle_sync_pushes_total", .counter, "Requests of devices that sent changes."),
    MetricDescription("fettle_sync_pulls_total", .counter, "Pages of changes that devices asked for."),
    MetricDescription(
      "fettle_sync_changes_total",
      .counter,
      "Changes that devices sent, by judgement: applied, merged, conflict, rejected, blocked, retry or replayed; and by code, none if applied.",
      labels: ["result", "code"]
    ),
    MetricDescription(
      "fettle_sync_listeners",
      .gauge,
      "Clients that wait for changes: streams of hints, and pulls that wait.",
      labels: ["kind"]
    ),
  ]

  private let factory: any MetricsFactory
  private let pushes: Counter
  private let pulls: Counter
  private let streams: Meter
  private let requests: Meter
  private let changes = Mutex<[[String]: Counter]>([:])

  package init(_ factory: any MetricsFactory) {
    self.factory = factory
    pushes = Counter(label: "fettle_sync_pushes_total", dimensions: [], factory: factory)
    pulls = Counter(label: "fettle_sync_pulls_total", dimensions: [], factory: factory)
    streams = Meter(label: "fettle_sync_listeners", dimensions: [("kind", "stream")], factory: factory)
    requests = Meter(label: "fettle_sync_listeners", dimensions: [("kind", "pull")], factory: factory)
  }

  /// Counts a push with its judgements.
  ///
  /// - Parameter judgements: the result and the code of each change.
  package func countPush(_ judgements: [(result: String, code: String?)]) {
    pushes.increment()
    for judgement in judgements { counter(judgement.result, judgement.code ?? "none").increment() }
  }

  /// Counts a page of changes.
  package func countPull() { pulls.increment() }

  /// Sets the gauges; call it before each scrape.
  package func set(streams: Int, requests: Int) {
    self.streams.set(streams)
    self.requests.set(requests)
  }

  private func counter(_ result: String, _ code: String) -> Counter {
    changes.withLock { counters in
      if let known = counters[[result, code]] { return known }
      let made = Counter(
        label: "fettle_sync_changes_total",
        dimensions: [("result", result), ("code", code)],
        factory: factory
      )
      counters[[result, code]] = made
      return made
    }
  }
}
