internal import Store

extension WorkerState {
  /// An action that follows an event; ``Worker`` performs it.
  enum Action {
    /// Give a job to a slot that waits.
    case run(ClaimedJob, in: SlotTable.ID)
    /// End a slot that waits.
    case close(SlotTable.ID)
    /// Cancel the task of a slot.
    case cancel(SlotTable.ID)
    /// Wake the claim loop.
    case wakeClaims
    /// End the claim loop.
    case endClaims
    /// Return jobs to the queue without counting an attempt.
    case handBack([ClaimedJob])
    /// Write that a job which had not started was cancelled.
    case writeCancelled(ClaimedJob)
    /// Open another slot in place of one whose job does not end, and write the job's outcome.
    case replace(SlotTable.ID, ClaimedJob, SlotTable.Verdict)
  }

  /// The next step of a slot.
  enum SlotStep {
    case run(ClaimedJob)
    /// Wait for a job.
    case wait
    /// Go on as a new slot: the task of this one is cancelled or will be.
    case renew
    case close
  }

  /// The consequence of an attempt.
  enum Settlement: Equatable {
    /// Write the effects and the success.
    case complete
    /// Write the failure.
    case fail
    /// Write that the attempt exceeded its time limit.
    case timeOut
    /// Write that the job was cancelled.
    case cancel
    /// Write nothing: the lease was lost.
    case dropLost
    /// Write nothing: the job was handed back.
    case dropHandedBack
    /// Write nothing: the slot was replaced and the outcome written.
    case abandoned
  }

  /// The next step of a worker that stops.
  enum DrainStep {
    case sleep(until: Instant)
    /// Cancel slots, and hand back their jobs, which did not finish in time.
    case handBack([ClaimedJob], cancelling: [SlotTable.ID])
    case finish
  }
}
