package import CoreMetrics
internal import FoundationEssentials

extension Worker {
  /// How many jobs it runs, and how many it has claimed and not begun.
  package var load: (running: Int, waiting: Int) { (running.count, buffer.count) }

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
  private let beat: Meter
  private let look: Meter

  /// - Parameter factory: where they are.
  package init(_ worker: Worker, _ factory: any MetricsFactory) {
    func meter(_ name: String) -> Meter {
      Meter(label: "fettle_worker_\(name)", dimensions: [], factory: factory)
    }
    self.worker = worker
    slots = meter("slots")
    busy = meter("slots_busy")
    waiting = meter("jobs_waiting")
    ready = meter("ready")
    beat = meter("heartbeat_timestamp_seconds")
    look = meter("claim_timestamp_seconds")
  }

  /// Brings them up to date.
  package func read() {
    let load = worker.load
    slots.set(worker.configuration.concurrency)
    busy.set(load.running)
    waiting.set(load.waiting)
    ready.set(worker.pulse.standing().standing == .ready ? 1 : 0)
    let moments = worker.pulse.moments
    // Not 0 before the first one, which would be fifty years ago.
    if let time = moments.beat { beat.set(time.timeIntervalSince1970) }
    if let time = moments.look { look.set(time.timeIntervalSince1970) }
  }
}
