package import CoreMetrics
package import Postgres

/// Gauges of a connection pool: connections, and tasks that wait for one.
package struct PoolGauges: Sendable {
  private let database: Database
  private let used: Meter
  private let idle: Meter
  private let size: Meter
  private let waiting: Meter

  /// - Parameter factory: makes the gauges.
  package init(_ database: Database, _ factory: any MetricsFactory) {
    self.database = database
    used = Meter(label: "fettle_pool_connections", dimensions: [("state", "used")], factory: factory)
    idle = Meter(label: "fettle_pool_connections", dimensions: [("state", "idle")], factory: factory)
    size = Meter(label: "fettle_pool_size", dimensions: [], factory: factory)
    waiting = Meter(label: "fettle_pool_waiting", dimensions: [], factory: factory)
  }

  /// Brings the gauges up to date.
  package func read() {
    let load = database.load
    used.set(load.used)
    idle.set(load.idle)
    size.set(load.size)
    waiting.set(load.waiting)
  }
}
