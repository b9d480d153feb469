package import FoundationEssentials
internal import Synchronization

/// The liveness and readiness of a worker: the last round of its claim loop, and its last answered claim.
///
/// It is ready while it can claim, which requires the database. It is alive while the loop goes on, even if
/// the database refuses: restarting a worker would not fix the database.
package final class WorkerPulse: Sendable {
  private struct State {
    var turned: ContinuousClock.Instant
    var polled: (at: ContinuousClock.Instant, time: Date)?
    var beaten: Date?
    var trouble: String?
    var isStopping = false
  }

  private let state: Mutex<State>

  init(now: ContinuousClock.Instant = .now) {
    state = Mutex(State(turned: now))
  }

  /// Notes a round of the loop.
  func turn(_ now: ContinuousClock.Instant = .now) { state.withLock { $0.turned = now } }

  /// Notes an answer of the database to a poll.
  func poll(_ now: ContinuousClock.Instant = .now) {
    state.withLock {
      $0.turned = now
      $0.polled = (now, Date())
      $0.trouble = nil
    }
  }

  /// Notes that the database could not be polled.
  func fail(_ reason: String) { state.withLock { $0.trouble = reason } }

  /// Notes a successful heartbeat.
  func beat() { state.withLock { $0.beaten = Date() } }

  /// Notes that the worker is stopping: it claims nothing more and finishes its jobs.
  func stop() { state.withLock { $0.isStopping = true } }

  /// The times of the last answer and of the last heartbeat, by this machine's clock.
  package var moments: (poll: Date?, beat: Date?) { state.withLock { ($0.polled?.time, $0.beaten) } }

  /// The condition of a worker.
  package enum Standing: Sendable, Hashable {
    case starting, ready, unready, stalled, stopping
  }

  /// Returns the condition, and the reason if it is bad.
  ///
  /// - Parameters:
  ///   - patience: the time after the last answer for which the worker is ready.
  ///   - limit: the time without a round after which the loop is stalled.
  package func standing(
    patience: Duration = .seconds(10),
    limit: Duration = .seconds(30),
    now: ContinuousClock.Instant = .now
  ) -> (standing: Standing, why: String?) {
    state.withLock { state in
      if state.isStopping { return (.stopping, nil) }
      if now - state.turned > limit {
        return (.stalled, "the claim loop has stood still for \((now - state.turned).components.seconds) s")
      }
      guard let polled = state.polled else { return (.starting, state.trouble) }
      if now - polled.at <= patience { return (.ready, nil) }
      let time = "no answer of the database for \((now - polled.at).components.seconds) s"
      return (.unready, state.trouble.map { "\(time): \($0)" } ?? time)
    }
  }
}
