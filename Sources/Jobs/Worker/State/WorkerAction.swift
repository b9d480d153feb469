internal import Store

extension WorkerState {
  /// An action that follows an event. ``Worker`` performs it.
  enum Action {
    /// Give a job to a waiting slot.
    case run(ClaimedJob, in: SlotTable.ID)
    /// Close a waiting slot.
    case close(SlotTable.ID)
    /// Cancel the task of a slot.
    case cancel(SlotTable.ID)
    /// Wake the claim loop.
    case wakeClaims
    /// End the claim loop.
    case endClaims
    /// Return jobs to the queue without counting an attempt.
    case handBack([ClaimedJob])
    /// Write the cancellation of a job that had not started.
    case writeCancelled(ClaimedJob)
    /// Replace the slot of a job that does not end, and write the job's outcome.
    case replace(SlotTable.ID, ClaimedJob, SlotTable.Verdict)
  }

  /// The next step of a slot.
  enum SlotStep {
    /// Run this job.
    case run(ClaimedJob)
    /// Wait for a job.
    case wait
    /// Continue as a new slot: the task of this one is cancelled or will be.
    case renew
    /// End: the worker stops, or the slot was replaced.
    case close
  }

  /// The consequence of an attempt that has ended.
  enum Settlement: Equatable {
    /// Write the effects and the success.
    case complete
    /// Write the failure.
    case fail
    /// Write a time-out as the failure.
    case timeOut
    /// Write the cancellation.
    case cancel
    /// Write nothing: the lease was lost.
    case dropLost
    /// Write nothing: the job was handed back.
    case dropHandedBack
    /// Write nothing: the slot was replaced and the outcome is already written.
    case abandoned
  }

  /// The next step of a stopping worker.
  enum DrainStep {
    /// Check again at this time whether the jobs have ended.
    case sleep(until: Instant)
    /// Cancel the slots and hand back their jobs, which did not end in time.
    case handBack([ClaimedJob], cancelling: [SlotTable.ID])
    /// All jobs have ended or were handed back.
    case finish
  }
}
