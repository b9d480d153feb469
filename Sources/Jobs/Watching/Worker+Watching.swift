package import CoreMetrics
internal import FoundationEssentials
internal import Synchronization

extension Worker {
  /// The number of running jobs, and the number of jobs claimed but not started, at this moment.
  package var load: (running: Int, waiting: Int) { state.withLock(\.load) }

  /// The worker's status in one line, such as `ready: 3 running, 40 claimed ahead`; for systemd and the
  /// health page.
  package var status: String {
    let (standing, why) = pulse.standing()
    let load = load
    let work = "\(load.running) running, \(load.waiting) claimed ahead"
    return switch standing {
    case .starting: "starting" + (why.map { ": \($0)" } ?? "")
    case .ready: "ready: \(work)"
    case .unready: "not ready: \(why ?? ""); \(work)"
    case .stalled: "stalled: \(why ?? ""); \(work)"
    case .stopping: "stopping: \(work)"
    }
  }
}

/// Gauges of a worker, updated on request: slots, running and waiting jobs, readiness, last heartbeat and
/// last claim.
package struct WorkerGauges: Sendable {
  private let worker: Worker
  private let slots: Meter
  private let busy: Meter
  private let waiting: Meter
  private let ready: Meter
  private let factory: any MetricsFactory

  /// Creates the gauges; ``read()`` sets them.
  ///
  /// - Parameters:
  ///   - worker: the worker to observe.
  ///   - factory: creates the metrics.
  package init(_ worker: Worker, _ factory: any MetricsFactory) {
    func meter(_ name: String) -> Meter {
      Meter(label: "fettle_worker_\(name)", dimensions: [], factory: factory)
    }
    self.worker = worker
    self.factory = factory
    slots = meter("slots")
    busy = meter("slots_busy")
    waiting = meter("jobs_waiting")
    ready = meter("ready")
  }

  /// Sets the gauges to the worker's current state. Sends no query; call it before each scrape.
  package func read() {
    let load = worker.load
    slots.set(worker.configuration.concurrency)
    busy.set(load.running)
    waiting.set(load.waiting)
    ready.set(worker.pulse.standing().standing == .ready ? 1 : 0)
    let moments = worker.pulse.moments
    // No value before the first one: 0 would mean 1970.
    for (name, time) in [("heartbeat", moments.beat), ("claim", moments.poll)] {
      guard let time else { continue }
      Meter(label: "fettle_worker_\(name)_timestamp_seconds", dimensions: [], factory: factory)
        .set(time.timeIntervalSince1970)
    }
  }
}
