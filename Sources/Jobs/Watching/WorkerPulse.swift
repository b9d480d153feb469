package import FoundationEssentials
internal import Synchronization

/// How a worker is: when its claim loop last turned, and when it last asked for jobs and had an answer.
///
/// It is ready while it can claim, which it cannot when the database is away. It is alive while the loop
/// turns, which it does whether the database answers or refuses: starting a worker again mends nothing
/// elsewhere.
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

  /// The loop has come round.
  func turn(_ now: ContinuousClock.Instant = .now) { state.withLock { $0.turned = now } }

  /// The database was asked for jobs and answered.
  func poll(_ now: ContinuousClock.Instant = .now) {
    state.withLock {
      $0.turned = now
      $0.polled = (now, Date())
      $0.trouble = nil
    }
  }

  /// The database could not be asked.
  func fail(_ reason: String) { state.withLock { $0.trouble = reason } }

  /// The lease was lengthened.
  func beat() { state.withLock { $0.beaten = Date() } }

  /// It was told to stop: it claims nothing more, and finishes what it has.
  func stop() { state.withLock { $0.isStopping = true } }

  /// When it last had an answer, and when it last lengthened its lease, by this machine's clock.
  package var moments: (poll: Date?, beat: Date?) { state.withLock { ($0.polled?.time, $0.beaten) } }

  /// What there is to say of it.
  package enum Standing: Sendable, Hashable {
    case starting, ready, unready, stalled, stopping
  }

  /// How it stands, and why if not well.
  ///
  /// - Parameters:
  ///   - patience: for how long it is ready after the last answer.
  ///   - limit: for how long the loop may stand still.
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
