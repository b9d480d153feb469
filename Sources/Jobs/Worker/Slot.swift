internal import Store
internal import Synchronization

/// The task of a slot, with the job given to it and the notes of the running job.
///
/// ``WorkerState`` decides which job runs in which slot. A slot has one task. A slot whose task was cancelled
/// is replaced, so that a late cancellation cannot end the next job. All methods are safe on any thread.
final class Slot: JobListener {
  /// The hand-over of a job: the slot's task and the deliverer may arrive in any order.
  private enum Delivery {
    case none
    /// The slot's task waits for a job.
    case awaited(CheckedContinuation<ClaimedJob?, Never>)
    /// A job was delivered before the task waited; nil closes the slot.
    case delivered(ClaimedJob?)
  }

  private struct State {
    var delivery = Delivery.none
    var task: Task<Bool, Never>?
    var isCancelled = false
    var job: ClaimedJob?
    /// The unwritten notes of the running job; nil before its first one.
    var notes: NoteBuffer?
  }

  let id: SlotTable.ID
  private let state = Mutex(State())

  init(_ id: SlotTable.ID) { self.id = id }

  /// Sets the task that runs the slot's jobs. Cancels it at once if the slot was cancelled before.
  func setTask(_ task: Task<Bool, Never>) {
    let isCancelled = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  /// Cancels the slot's task.
  func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }

  /// Waits for a job; returns nil when the slot is closed. Cancelling the task does not end the wait.
  func next() async -> ClaimedJob? {
    await withCheckedContinuation { continuation in
      let delivered: ClaimedJob?? = state.withLock { state in
        guard case .delivered(let job) = state.delivery else {
          state.delivery = .awaited(continuation)
          return nil
        }
        state.delivery = .none
        return .some(job)
      }
      if let delivered { continuation.resume(returning: delivered) }
    }
  }

  /// Delivers a job to ``next()``, or nil to close the slot. May precede ``next()``.
  func deliver(_ job: ClaimedJob?) {
    let continuation: CheckedContinuation<ClaimedJob?, Never>? = state.withLock { state in
      guard case .awaited(let continuation) = state.delivery else {
        state.delivery = .delivered(job)
        return nil
      }
      state.delivery = .none
      return continuation
    }
    continuation?.resume(returning: job)
  }

  /// Records that a job starts. Its notes are kept from now on, and those of the previous job are dropped.
  func start(_ job: ClaimedJob) {
    state.withLock { state in
      state.job = job
      state.notes = nil
    }
  }

  /// Keeps a note of the running job until it is written. A note of another claim is dropped.
  func receive(_ claim: ClaimedJob.Claim, done: Double?, text: String?) {
    state.withLock { state in
      guard state.job?.claim == claim else { return }
      var notes = state.notes ?? NoteBuffer()
      if let done { notes.progress(done, text, at: .now) } else if let text { notes.note(text, at: .now) }
      state.notes = notes
    }
  }

  /// Takes the running job's notes if they are due to be written; nil if there are none.
  func takeNotes(_ now: ContinuousClock.Instant) -> (ClaimedJob, [JobNote])? {
    state.withLock { state in
      guard let job = state.job, state.notes?.isDue(now) == true else { return nil }
      return (state.notes?.take(now)).map { (job, $0) }
    }
  }

  /// Takes the remaining notes when the job's handler has returned; nil if there are none. Later notes are
  /// dropped.
  func takeLastNotes(_ now: ContinuousClock.Instant) -> (ClaimedJob, [JobNote])? {
    state.withLock { state in
      guard let job = state.job else { return nil }
      state.job = nil
      guard state.notes?.isEmpty == false else { return nil }
      return (state.notes?.take(now)).map { (job, $0) }
    }
  }
}
