internal import Synchronization

/// The wait of one request for a hint.
package struct HintWait: Sendable {
  /// The signals of the hub, and the task that waits for one.
  final class Signals: Sendable {
    private struct State {
      var signal: HintSignal?
      var waiting: CheckedContinuation<HintSignal, Never>?
    }

    private let state = Mutex(State())

    /// Keeps the first signal, and resumes the task.
    func receive(_ signal: HintSignal) {
      let waiting = state.withLock { state in
        guard state.signal == nil else { return nil as CheckedContinuation<HintSignal, Never>? }
        state.signal = signal
        defer { state.waiting = nil }
        return state.waiting
      }
      waiting?.resume(returning: signal)
    }

    /// Waits for the first signal.
    func first() async -> HintSignal {
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let signal = state.withLock { state in
            if state.signal == nil { state.waiting = continuation }
            return state.signal
          }
          if let signal { continuation.resume(returning: signal) }
        }
      } onCancel: {
        receive(.end)
      }
    }
  }

  private let hub: HintHub
  private let number: Int
  private let signals: Signals

  init(hub: HintHub, number: Int, signals: Signals) {
    self.hub = hub
    self.number = number
    self.signals = signals
  }

  /// Waits for a hint since the request entered.
  ///
  /// - Returns: false if the wait is over without one, or the task was cancelled.
  package func isHinted() async -> Bool { await signals.first() == .hint }

  /// Ends the wait. Call it in any case.
  package func leave() { hub.leave(number) }
}
