package import FoundationEssentials
internal import Synchronization

/// The liveness and readiness of a worker: the last turn of its claim loop, and its last answered poll or
/// claim.
///
/// A worker is ready while it can claim, which requires the database. It is alive while its claim loop runs,
/// even if the database refuses queries: restarting a worker would not fix the database.
///
/// ```swift
/// switch worker.pulse.standing() {
/// case (.stalled, let why): restart(because: why)
/// case (.unready, let why): report(why)
/// default: break
/// }
/// ```
///
/// All methods are safe on any thread.
package final class WorkerPulse: Sendable {
  /// The recorded events. The monotonic times are for intervals, the dates for display.
  private struct State {
    /// The last turn of the claim loop.
    var turned: ContinuousClock.Instant
    /// The last answered poll or claim.
    var polled: (at: ContinuousClock.Instant, time: Date)?
    /// The last successful heartbeat.
    var beaten: Date?
    /// The error of the last poll or claim; nil if it succeeded.
    var trouble: String?
    var isStopping = false
  }

  private let state: Mutex<State>

  init(now: ContinuousClock.Instant = .now) {
    state = Mutex(State(turned: now))
  }

  /// Records a turn of the claim loop.
  func turn(_ now: ContinuousClock.Instant = .now) { state.withLock { $0.turned = now } }

  /// Records that the database answered a poll or a claim.
  func poll(_ now: ContinuousClock.Instant = .now) {
    state.withLock {
      $0.turned = now
      $0.polled = (now, Date())
      $0.trouble = nil
    }
  }

  /// Records that a poll or a claim failed.
  func fail(_ reason: String) { state.withLock { $0.trouble = reason } }

  /// Records a successful heartbeat.
  func beat() { state.withLock { $0.beaten = Date() } }

  /// Records that the worker is stopping: it claims no more and finishes its jobs.
  func stop() { state.withLock { $0.isStopping = true } }

  /// The times of the last answered poll or claim and of the last successful heartbeat, by this machine's
  /// clock; nil before the first one.
  package var moments: (poll: Date?, beat: Date?) { state.withLock { ($0.polled?.time, $0.beaten) } }

  /// The condition of a worker. `starting`: no poll has been answered yet. `ready`: the last answer is
  /// recent. `unready`: the last answer is too old. `stalled`: the claim loop does not run; restart the
  /// process. `stopping`: the worker was told to stop.
  package enum Standing: Sendable, Hashable {
    case starting, ready, unready, stalled, stopping
  }

  /// Returns the condition, and the reason if there is one: the last error while starting, or why the worker
  /// is unready or stalled.
  ///
  /// - Parameters:
  ///   - maximumAge: the time after the last answer for which the worker counts as ready.
  ///   - limit: the time without a turn after which the claim loop counts as stalled.
  ///   - now: the current time.
  package func standing(
    maximumAge: Duration = .seconds(5),
    limit: Duration = .seconds(30),
    now: ContinuousClock.Instant = .now
  ) -> (standing: Standing, why: String?) {
    state.withLock { state in
      if state.isStopping { return (.stopping, nil) }
      if now - state.turned > limit {
        return (.stalled, "the claim loop has not run for \((now - state.turned).components.seconds) s")
      }
      guard let polled = state.polled else { return (.starting, state.trouble) }
      if now - polled.at <= maximumAge { return (.ready, nil) }
      let time = "no response from the database for \((now - polled.at).components.seconds) s"
      return (.unready, state.trouble.map { "\(time): \($0)" } ?? time)
    }
  }
}
