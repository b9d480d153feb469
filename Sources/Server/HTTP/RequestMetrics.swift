internal import API
package import CoreMetrics
package import Prometheus
internal import Synchronization

/// Counts requests by route, method and class of status. Companies and people are never labels.
package final class RequestMetrics: Sendable {
  /// The descriptions of all metrics of a server.
  package static let descriptions = [
    MetricDescription(
      "fettle_http_requests_total",
      .counter,
      "Requests answered, by route and class of status (2xx).",
      labels: ["route", "method", "status"]
    ),
    MetricDescription(
      "fettle_http_request_duration_seconds",
      .histogram,
      "Time from the head of a request to its response being ready to send.",
      labels: ["route", "method"],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15]
    ),
    MetricDescription("fettle_http_requests_in_flight", .gauge, "Requests being handled."),
    MetricDescription("fettle_http_connections", .gauge, "Open connections."),
    MetricDescription(
      "fettle_http_requests_refused_total",
      .counter,
      "Requests refused because too many were in flight."
    ),
    MetricDescription(
      "fettle_http_rate_limited_total",
      .counter,
      "Requests refused by a rate limit, by rule.",
      labels: ["limit"]
    ),
  ]

  private struct Key: Hashable {
    let route: String
    let method: String
    let status: Int
  }

  private struct Meters {
    let count: Counter
    let time: CoreMetrics.Timer
  }

  private let factory: any MetricsFactory
  private let meters = Mutex<[Key: Meters]>([:])
  private let limited = Mutex<[String: Counter]>([:])
  private let refused: Counter
  private let inFlight: Meter
  private let connections: Meter

  package init(_ factory: any MetricsFactory) {
    self.factory = factory
    refused = Counter(label: "fettle_http_requests_refused_total", dimensions: [], factory: factory)
    inFlight = Meter(label: "fettle_http_requests_in_flight", dimensions: [], factory: factory)
    connections = Meter(label: "fettle_http_connections", dimensions: [], factory: factory)
  }

  /// Counts a request.
  ///
  /// - Parameter route: the pattern of its route; nil if it has none.
  func count(route: String?, method: APIMethod?, status: Int, time: Duration) {
    let key = Key(route: route ?? "none", method: method?.rawValue ?? "other", status: status / 100)
    let meters = meters.withLock { all in
      if let known = all[key] { return known }
      let labels = [("route", key.route), ("method", key.method)]
      let made = Meters(
        count: Counter(
          label: "fettle_http_requests_total",
          dimensions: labels + [("status", "\(key.status)xx")],
          factory: factory
        ),
        time: CoreMetrics.Timer(
          label: "fettle_http_request_duration_seconds",
          dimensions: labels,
          factory: factory
        )
      )
      all[key] = made
      return made
    }
    meters.count.increment()
    meters.time.recordNanoseconds(Int64(time / .nanoseconds(1)))
  }

  /// Counts a request that was refused because too many were in flight.
  func countRefusal() { refused.increment() }

  /// Counts a request that a rate limit refused.
  package func countLimited(_ rule: String) {
    limited.withLock { counters in
      counters[
        rule,
        default: Counter(
          label: "fettle_http_rate_limited_total",
          dimensions: [("limit", rule)],
          factory: factory
        )
      ]
    }.increment()
  }

  /// Sets the gauges; call it before each scrape.
  func set(inFlight: Int, connections: Int) {
    self.inFlight.set(inFlight)
    self.connections.set(connections)
  }
}
