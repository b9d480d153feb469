package import CoreMetrics
package import Postgres

/// Gauges of a connection pool: connections in use and idle, their maximum, and tasks that wait for a
/// connection.
package struct PoolGauges: Sendable {
  private let database: Database
  private let used: Meter
  private let idle: Meter
  private let size: Meter
  private let waiting: Meter

  /// Creates the gauges; ``read()`` sets them.
  ///
  /// - Parameters:
  ///   - database: the pool to observe.
  ///   - factory: creates the metrics.
  package init(_ database: Database, _ factory: any MetricsFactory) {
    self.database = database
    used = Meter(label: "fettle_pool_connections", dimensions: [("state", "used")], factory: factory)
    idle = Meter(label: "fettle_pool_connections", dimensions: [("state", "idle")], factory: factory)
    size = Meter(label: "fettle_pool_size", dimensions: [], factory: factory)
    waiting = Meter(label: "fettle_pool_waiting", dimensions: [], factory: factory)
  }

  /// Sets the gauges to the current load of the pool. Sends no query; call it before each scrape.
  package func read() {
    let load = database.load
    used.set(load.used)
    idle.set(load.idle)
    size.set(load.size)
    waiting.set(load.waiting)
  }
}
