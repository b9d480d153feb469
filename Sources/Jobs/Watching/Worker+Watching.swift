package import CoreMetrics
internal import FoundationEssentials
internal import Synchronization

extension Worker {
  /// Number of jobs that run, and of jobs that are claimed and have not started.
  package var load: (running: Int, waiting: Int) { state.withLock(\.load) }

  /// How it is, in one line.
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

/// Shows how a worker is in gauges, whenever it is asked to.
package struct WorkerGauges: Sendable {
  private let worker: Worker
  private let slots: Meter
  private let busy: Meter
  private let waiting: Meter
  private let ready: Meter
  private let factory: any MetricsFactory

  /// - Parameter factory: where they are.
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

  /// Brings them up to date.
  package func read() {
    let load = worker.load
    slots.set(worker.configuration.concurrency)
    busy.set(load.running)
    waiting.set(load.waiting)
    ready.set(worker.pulse.standing().standing == .ready ? 1 : 0)
    let moments = worker.pulse.moments
    // None before the first one: 0 would be fifty years ago.
    for (name, time) in [("heartbeat", moments.beat), ("claim", moments.poll)] {
      guard let time else { continue }
      Meter(label: "fettle_worker_\(name)_timestamp_seconds", dimensions: [], factory: factory)
        .set(time.timeIntervalSince1970)
    }
  }
}
