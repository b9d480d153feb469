package import CoreMetrics
internal import FoundationEssentials
package import Logging
package import Postgres
internal import ServiceLifecycle
internal import Store

/// Gauges of the queue by queue and kind, read from the counters every few seconds.
///
/// Each process exports the same values, for all workers together: use max(), not sum(). The gauges are read
/// independently of scrapes, so that an unresponsive database does not delay the other metrics. The counters
/// themselves are brought up to date by a ``Timekeeper`` every 5 seconds.
package final class QueueGauges: Service {
  private let database: Database
  private let factory: any MetricsFactory
  private let interval: Duration
  private let logger: Logger

  /// Creates the gauges; ``run()`` updates them.
  ///
  /// - Parameters:
  ///   - database: connected as `fettle_worker`.
  ///   - factory: creates the metrics.
  ///   - interval: time between two readings; longer if a reading takes more than a twentieth of it.
  ///   - logger: receives errors.
  package init(
    _ database: Database,
    _ factory: any MetricsFactory,
    every interval: Duration = .seconds(10),
    logger: Logger
  ) {
    self.database = database
    self.factory = factory
    self.interval = interval
    self.logger = logger
  }

  /// Reads at intervals until graceful shutdown or cancellation. An error is logged, and the last values stay
  /// exported.
  package func run() async throws {
    await cancelWhenGracefulShutdown {
      var shown = Shown()
      while !Task.isCancelled {
        let began = ContinuousClock.now
        do {
          try await self.read(&shown)
        } catch is CancellationError {
          return
        } catch {
          self.logger.error("cannot read the counts of the queue", metadata: ["error": "\(error)"])
        }
        // Reading takes at most a twentieth of the time.
        let pause = max(self.interval, (ContinuousClock.now - began) * 20)
        try? await Task.sleep(for: pause)  // cancelled: the loop's condition ends it
      }
    }
  }

  /// The exported gauges. Needed so that lanes and states without jobs are exported as 0 after they had some.
  package struct Shown {
    fileprivate var meters: [[String]: Meter] = [:]

    /// Creates an empty set, for the first reading.
    package init() {}
  }

  /// Reads the counters once and sets the gauges.
  ///
  /// - Parameter shown: the gauges of earlier readings; new ones are added.
  /// - Throws: `PostgresError`, or `CancellationError`; the gauges are then unchanged.
  package func read(_ shown: inout Shown) async throws {
    let numbers = try await JobNumbers.read(database)
    var values: [[String]: Double] = [
      ["fettle_workers"]: Double(numbers.workers),
      ["fettle_queue_read_timestamp_seconds"]: Date().timeIntervalSince1970,
    ]
    for line in numbers.lines {
      let lane = [line.queue, line.kind]
      for state in JobNumbers.State.allCases {
        values[["fettle_queue_jobs"] + lane + [state.rawValue], default: 0] += 0
      }
      values[["fettle_queue_jobs"] + lane + [line.state.rawValue]] = Double(line.jobs)
      values[["fettle_queue_oldest_age_seconds"] + lane, default: 0] += max(0, line.oldestSeconds ?? 0)
      values[["fettle_queue_paused"] + lane] =
        numbers.isPaused(queue: line.queue, kind: line.kind) ? 1 : 0
    }
    // A graph that falls to 0 is clearer than one that ends.
    for key in shown.meters.keys { values[key, default: 0] += 0 }
    for (key, value) in values {
      let meter =
        shown.meters[key]
        ?? Meter(
          label: key[0],
          dimensions: Array(zip(["queue", "kind", "state"], key.dropFirst())),
          factory: factory
        )
      meter.set(value)
      shown.meters[key] = meter
    }
  }
}
