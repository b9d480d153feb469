package import CoreMetrics
package import Logging
package import Postgres
internal import ServiceLifecycle
internal import Store

/// Gauges of the devices of all companies, read every half minute.
///
/// Each process exports the same values: use max(), not sum().
package struct SyncGauges: Service {
  private let database: Database
  private let interval: Duration
  private let logger: Logger
  private let devices: Meter
  private let behind: Meter
  private let oldest: Meter
  private let undecided: Meter
  /// The meters of waiting changes, by status.
  private let waiting: [String: Meter]

  /// Creates the gauges; ``run()`` updates them.
  ///
  /// - Parameter database: connected as `fettle_worker`.
  package init(
    _ database: Database,
    _ factory: any MetricsFactory,
    every interval: Duration = .seconds(30),
    logger: Logger
  ) {
    self.database = database
    self.interval = interval
    self.logger = logger
    func meter(_ name: String, _ labels: [(String, String)] = []) -> Meter {
      Meter(label: name, dimensions: labels, factory: factory)
    }
    devices = meter("fettle_sync_devices")
    behind = meter("fettle_sync_devices_behind")
    oldest = meter("fettle_sync_oldest_pending_seconds")
    undecided = meter("fettle_sync_undecided_seconds")
    let statuses = ["pending", "conflict", "failed"]
    waiting = Dictionary(
      uniqueKeysWithValues: statuses.map { ($0, meter("fettle_sync_changes_waiting", [("status", $0)])) }
    )
  }

  /// Reads at intervals until graceful shutdown or cancellation. An error is logged, and the last values stay
  /// exported.
  package func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        do {
          try await self.read()
        } catch is CancellationError {
          return
        } catch {
          self.logger.error("cannot read the totals of devices", metadata: ["error": "\(error)"])
        }
        try? await Task.sleep(for: self.interval)  // cancelled: the loop's condition ends it
      }
    }
  }

  /// Reads the totals once and sets the gauges.
  ///
  /// - Throws: `PostgresError`, or `CancellationError`; the gauges are then unchanged.
  package func read() async throws {
    guard let numbers = try await SyncNumbers.read(database) else { return }
    devices.set(numbers.devices)
    behind.set(numbers.behind)
    oldest.set(numbers.oldestSeconds)
    undecided.set(numbers.undecidedSeconds)
    waiting["pending"]?.set(numbers.pending)
    waiting["conflict"]?.set(numbers.conflicts)
    waiting["failed"]?.set(numbers.failed)
  }
}
