internal import CoreMetrics
internal import Engine
internal import Logging

/// The metrics of a timekeeper: fired timers, fired schedules, and failed tasks.
struct TimekeeperMeters: Sendable {
  private let factory: any MetricsFactory

  init(_ factory: any MetricsFactory) {
    self.factory = factory
    // Exported from the start, so that rate() sees the first failure as a step from 0.
    for outcome in ["fired", "failed"] { counter("fettle_timers_total", outcome).increment(by: 0) }
    for outcome in ["enqueued", "failed"] { counter("fettle_schedules_total", outcome).increment(by: 0) }
  }

  /// Counts a timer by its outcome.
  func count(_ outcome: FiredTimer.Outcome) {
    let name =
      switch outcome {
      case .fired: "fired"
      case .void: "void"
      case .held: "held"
      case .refused: "refused"
      case .failed: "failed"
      }
    counter("fettle_timers_total", name).increment()
  }

  /// Counts a due time of a schedule by its outcome.
  func count(_ outcome: FiredSchedule.Outcome) {
    let name =
      switch outcome {
      case .enqueued: "enqueued"
      case .computed: "computed"
      case .held: "held"
      case .failed: "failed"
      }
    counter("fettle_schedules_total", name).increment()
  }

  /// Counts a failed task. The label is the log message without "cannot".
  func failed(_ what: Logger.Message) {
    let task = "\(what)".replacing("cannot ", with: "")
    Counter(label: "fettle_timekeeper_errors_total", dimensions: [("task", task)], factory: factory)
      .increment()
  }

  private func counter(_ name: String, _ outcome: String) -> Counter {
    Counter(label: name, dimensions: [("outcome", outcome)], factory: factory)
  }
}
