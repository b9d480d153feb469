internal import FoundationEssentials
internal import Store
internal import Synchronization

/// One of the places at which a worker runs jobs, one after the other.
final class Slot: JobListener {
  /// Why a job is ended before its end.
  enum Verdict: Sendable {
    /// It took too long.
    case late
    /// Its worker was declared lost.
    case lost
    /// Somebody cancelled it.
    case cancelled
    /// The worker stops.
    case handedBack
  }

  private struct State {
    var job: ClaimedJob?
    var began = ContinuousClock.now
    var verdict: Verdict?
    var judged = ContinuousClock.now
    var task: Task<Bool, Never>?
    var isAbandoned = false
    /// The handler has returned: what is left is to write the outcome down.
    var isEnding = false
    var notes: NoteBuffer?
  }

  private let state = Mutex(State())

  /// Sets the task that runs its jobs.
  func run(_ task: Task<Bool, Never>) { state.withLock { $0.task = task } }

  /// Notes that a job begins.
  func begin(_ job: ClaimedJob, at now: ContinuousClock.Instant) {
    state.withLock {
      $0.job = job
      $0.began = now
      $0.verdict = nil
      $0.isEnding = false
      $0.notes = nil
    }
  }

  /// Keeps what its job tells until it is written; what another one tells, which was given up, nobody hears.
  func receive(_ claim: ClaimedJob.Claim, done: Double?, text: String?) {
    state.withLock { state in
      guard state.job?.claim == claim, !state.isAbandoned else { return }
      var notes = state.notes ?? NoteBuffer()
      if let done { notes.progress(done, text, at: .now) } else if let text { notes.note(text, at: .now) }
      state.notes = notes
    }
  }

  /// Takes out what its job has told; nil: nothing, or not long after what it told before.
  func takeNotes(_ now: ContinuousClock.Instant, isDueOnly: Bool) -> (ClaimedJob, [JobNote])? {
    state.withLock { state in
      guard let job = state.job, let notes = state.notes, !state.isAbandoned,
        isDueOnly ? notes.isDue(now) : !notes.isEmpty
      else { return nil }
      return (state.notes?.take(now)).map { (job, $0) }
    }
  }

  /// Notes that a job's handler has returned, and says whether it was to be ended before.
  ///
  /// - Returns: the verdict on it, and whether somebody else has seen to its outcome.
  func handlerReturned() -> (verdict: Verdict?, isAbandoned: Bool) {
    state.withLock {
      $0.isEnding = true
      return ($0.verdict, $0.isAbandoned)
    }
  }

  /// Notes that the job's outcome is written, or nobody's business here.
  func end() { state.withLock { $0.job = nil } }

  /// That a job is to end before its end.
  struct Ending: Sendable {
    let verdict: Verdict
    let since: ContinuousClock.Instant
  }

  /// The job that it runs, since when, and whether it was told to end.
  var current: (job: ClaimedJob, began: ContinuousClock.Instant, ending: Ending?)? {
    state.withLock { state in
      state.job.map { ($0, state.began, state.verdict.map { Ending(verdict: $0, since: state.judged) }) }
    }
  }

  /// Ends its job early, if its handler is still at this one and has no verdict yet.
  func interrupt(_ claim: ClaimedJob.Claim, _ verdict: Verdict) {
    state.withLock { state in
      guard state.job?.claim == claim, state.verdict == nil, !state.isEnding else { return }
      state.verdict = verdict
      state.judged = .now
      // Under the lock, so that it cannot strike the job that comes after.
      state.task?.cancel()
    }
  }

  /// Gives its job up, which does not end though it was told to; its outcome is the caller's to write.
  ///
  /// - Returns: false when the handler has returned after all.
  func abandon(_ claim: ClaimedJob.Claim) -> Bool {
    state.withLock { state in
      guard state.job?.claim == claim, !state.isAbandoned, !state.isEnding else { return false }
      state.isAbandoned = true
      return true
    }
  }
}
