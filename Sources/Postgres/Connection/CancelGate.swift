internal import Dispatch
internal import Synchronization

/// Keeps cancel requests from striking a statement that they were not meant for.
///
/// A request travels on a connection of its own and may arrive late. So the connection's thread, having got
/// its answer, waits for a request that is under way to come back before it sends anything else.
final class CancelGate: Sendable {
  private struct State {
    var handle: CancelHandle?
    /// Which lease of the connection is running; 0 when none is.
    var lease = 0
    var isCancelled = false
    /// Counts round trips; a request is meant for one of them.
    var round = 0
    var isBusy = false
    var isCalling = false
    /// Which call that is.
    var callNumber = 0
    var threadWaits = false
  }

  private let state = Mutex(State())
  private let callReturned = DispatchSemaphore(value: 0)

  /// Gives the gate the handle of a new physical connection.
  func attach(_ handle: CancelHandle) {
    state.withLock { $0.handle = handle }
  }

  /// Takes the handle of a closed connection away, unless a newer one has replaced it.
  func detach(_ handle: CancelHandle) {
    state.withLock { state in
      if state.handle === handle { state.handle = nil }
    }
  }

  /// Interrupts the connection from its own thread, which waits until the request has been taken.
  func interrupt() {
    state.withLock { $0.handle }?.cancel()
  }

  func beginLease(_ lease: Int) {
    state.withLock {
      $0.lease = lease
      $0.isCancelled = false
    }
  }

  func endLease() {
    state.withLock { $0.lease = 0 }
  }

  var isCancelled: Bool {
    state.withLock { $0.isCancelled }
  }

  /// Marks the beginning of a round trip that may be interrupted; false when it must not begin at all.
  func beginRound() -> Bool {
    state.withLock { state in
      guard !state.isCancelled else { return false }
      state.round += 1
      state.isBusy = true
      return true
    }
  }

  /// Marks the end of a round trip; returns only when no cancel request is under way.
  func endRound() {
    let mustWait = state.withLock { state in
      state.isBusy = false
      state.threadWaits = state.isCalling
      return state.isCalling
    }
    if mustWait { callReturned.wait() }
  }

  /// Marks the end of a round trip on a connection that nobody will use again: a request that is under way may go on,
  /// as there is nothing left that it could strike.
  func abandonRound() {
    state.withLock { state in
      state.isBusy = false
      state.isCalling = false
      state.callNumber += 1
    }
  }

  /// Interrupts whatever the lease is doing, and everything it still wants to do.
  func cancel(lease: Int) {
    let round: Int? = state.withLock { state in
      guard state.lease == lease, !state.isCancelled else { return nil }
      state.isCancelled = true
      return state.isBusy ? state.round : nil
    }
    guard let round else { return }
    // On a dispatch thread, because the call blocks and may be made from a cooperative one.
    DispatchQueue.global(qos: .userInitiated).async { self.call(round: round) }
  }

  private func call(round: Int) {
    // A call that comes too late for its round trip must leave the state alone: another one may be calling.
    let begun: (handle: CancelHandle, number: Int)? = state.withLock { state in
      guard state.isBusy, state.round == round, let handle = state.handle else { return nil }
      state.isCalling = true
      state.callNumber += 1
      return (handle, state.callNumber)
    }
    guard let begun else { return }
    begun.handle.cancel()
    guard endCall(begun.number, round: round) else { return }
    // The request can have arrived before the statement did: ask again while it is still running.
    DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: .now() + .milliseconds(50)) {
      self.call(round: round)
    }
  }

  /// Ends a call; true when the round trip that it was meant for is still running.
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
