internal import Dispatch
internal import Synchronization

/// Prevents a cancel request from interrupting a later statement than its target.
///
/// A cancel request uses a separate connection and may arrive late. After the results of a round trip have
/// arrived, the connection's thread therefore waits until a pending request has returned, and only then sends
/// the next statement. Safe on any thread.
final class CancelGate: Sendable {
  private struct State {
    var handle: CancelHandle?
    /// The number of the current lease of the connection; 0 without one.
    var lease = 0
    var isCancelled = false
    /// Counts round trips; a request targets exactly one of them.
    var round = 0
    var isBusy = false
    /// True while a cancel request is being sent.
    var isCalling = false
    /// Counts the requests, so that a late one is recognised.
    var callNumber = 0
    /// True while the connection's thread waits for a request to return.
    var threadWaits = false
  }

  private let state = Mutex(State())
  private let callReturned = DispatchSemaphore(value: 0)

  /// Sets the handle of a new physical connection.
  func attach(_ handle: CancelHandle) {
    state.withLock { $0.handle = handle }
  }

  /// Removes the handle of a closed connection, unless a newer one has replaced it.
  func detach(_ handle: CancelHandle) {
    state.withLock { state in
      if state.handle === handle { state.handle = nil }
    }
  }

  /// Cancels the current statement from the connection's own thread. Returns when the server has accepted the
  /// request.
  func interrupt() {
    state.withLock { $0.handle }?.cancel()
  }

  /// Marks the beginning of a lease, which is not cancelled yet.
  func beginLease(_ lease: Int) {
    state.withLock {
      $0.lease = lease
      $0.isCancelled = false
    }
  }

  /// Marks the end of the lease; cancelling it later has no effect.
  func endLease() {
    state.withLock { $0.lease = 0 }
  }

  /// True if the current or last lease was cancelled.
  var isCancelled: Bool {
    state.withLock { $0.isCancelled }
  }

  /// Marks the beginning of a round trip that can be cancelled. Returns false if the lease was already
  /// cancelled.
  func beginRound() -> Bool {
    state.withLock { state in
      guard !state.isCancelled else { return false }
      state.round += 1
      state.isBusy = true
      return true
    }
  }

  /// Marks the end of a round trip. Returns when no cancel request is pending.
  func endRound() {
    let mustWait = state.withLock { state in
      state.isBusy = false
      state.threadWaits = state.isCalling
      return state.isCalling
    }
    if mustWait { callReturned.wait() }
  }

  /// Marks the end of a round trip on a connection that is about to be closed. Pending cancel requests may
  /// continue: no later statement can be affected.
  func abandonRound() {
    state.withLock { state in
      state.isBusy = false
      state.isCalling = false
      state.callNumber += 1
    }
  }

  /// Cancels the current statement of the lease; later round trips of the lease do not begin. Returns at
  /// once. Has no effect after the end of the lease.
  func cancel(lease: Int) {
    let round: Int? = state.withLock { state in
      guard state.lease == lease, !state.isCancelled else { return nil }
      state.isCancelled = true
      return state.isBusy ? state.round : nil
    }
    guard let round else { return }
    // On a dispatch thread: the call blocks, and the caller may be on a cooperative thread.
    DispatchQueue.global(qos: .userInitiated).async { self.call(round: round) }
  }

  /// Sends a cancel request, and another one every 50 milliseconds while the targeted round trip is still
  /// running.
  private func call(round: Int) {
    // A call that is too late for its round trip must not change the state, since another call may be
    // running.
    let begun: (handle: CancelHandle, number: Int)? = state.withLock { state in
      guard state.isBusy, state.round == round, let handle = state.handle else { return nil }
      state.isCalling = true
      state.callNumber += 1
      return (handle, state.callNumber)
    }
    guard let begun else { return }
    begun.handle.cancel()
    guard endCall(begun.number, round: round) else { return }
    // The request may have arrived before the statement: repeat it while the round trip runs.
    DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: .now() + .milliseconds(50)) {
      self.call(round: round)
    }
  }

  /// Ends a call. Returns true while the targeted round trip is still running.
  private func endCall(_ number: Int, round: Int) -> Bool {
    let (wake, again) = state.withLock { state in
      guard state.callNumber == number else { return (false, false) }
      state.isCalling = false
      defer { state.threadWaits = false }
      return (state.threadWaits, state.isBusy && state.round == round)
    }
    if wake { callReturned.signal() }
    return again
  }
}
