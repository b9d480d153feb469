package import CoreMetrics
internal import FoundationEssentials
package import Logging
package import Postgres
internal import ServiceLifecycle
internal import Store

/// Shows in gauges how much of each queue and kind there is, reading the books of the queue every few seconds.
///
/// Every process shows the same, which is of all workers together: whoever adds them up counts it several times. They
/// are read beside the scrapes, so that a database that does not answer does not keep anybody waiting for the rest.
package final class QueueGauges: Service {
  private let database: Database
  private let factory: any MetricsFactory
  private let interval: Duration
  private let logger: Logger

  /// - Parameter database: connected as `fettle_worker`.
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

  /// Reads again and again until graceful shutdown or cancellation.
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
          self.logger.error("cannot read the books of the queue", metadata: ["error": "\(error)"])
        }
        // Never for more than a twentieth of the time.
        let pause = max(self.interval, (ContinuousClock.now - began) * 20)
        try? await Task.sleep(for: pause)  // cancelled: the loop's condition ends it
      }
    }
  }

  /// The gauges that are shown, so that what is gone from the queue goes from the metrics too.
  package struct Shown {
    fileprivate var meters: [[String]: Meter] = [:]

    package init() {}
  }

  /// Reads the books once.
  package func read(_ shown: inout Shown) async throws {
    let books = try await JobBooks.read(company: nil, database)
    let (now, workers) = try await database.transaction { tx in
      (
        try tx.value("select clock_timestamp()", as: Timestamp.self),
        try tx.value(
          "select count(*)::int from core.worker w where w.lease_until > clock_timestamp()",
          as: Int.self
        )
      )
    }
    var values: [[String]: Double] = [
      ["fettle_workers"]: Double(workers),
      ["fettle_queue_read_timestamp_seconds"]: Date().timeIntervalSince1970,
    ]
    for line in books.lines {
      let counts = [
        ("queued", line.queued), ("waiting", line.waiting), ("retrying", line.retrying),
        ("running", line.running), ("dead", line.dead), ("cancelled", line.cancelled),
      ]
      for (state, count) in counts {
        values[["fettle_queue_jobs", line.queue, line.kind, state]] = Double(count.jobs)
      }
      let age = line.oldest.map { Double(now.microseconds - $0.microseconds) / 1e6 } ?? 0
      values[["fettle_queue_oldest_age_seconds", line.queue, line.kind]] = max(0, age)
      values[["fettle_queue_paused", line.queue, line.kind]] = line.isPaused ? 1 : 0
    }
    for (key, meter) in shown.meters where values[key] == nil {
      meter.destroy()
      shown.meters[key] = nil
    }
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
