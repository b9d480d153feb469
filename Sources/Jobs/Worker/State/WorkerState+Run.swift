internal import Store

extension WorkerState {
  /// Opens a slot, which then requests jobs with ``slotReady(_:at:)``.
  mutating func openSlot() -> SlotTable.ID { slots.open() }

  /// Records that a slot is ready for a job: the slot is new, or the outcome of its last job is written.
  ///
  /// - Returns: the slot's next step, and true if the claim loop has to be woken.
  mutating func slotReady(_ slot: SlotTable.ID, at now: Instant) -> (step: SlotStep, wakesClaims: Bool) {
    guard slots.isOpen(slot) else { return (.close, false) }
    guard phase == .working else {
      slots.close(slot)
      return (.close, false)
    }
    guard slots[slot]?.verdict == nil else {
      slots.close(slot)
      return (.renew, false)
    }
    slots[slot] = nil
    // The slot was opened while the job of another one waited outside.
    guard slots.insideCount <= configuration.concurrency else {
      slots.close(slot)
      return (.close, false)
    }
    let isCertain = isLeaseCertain(at: now)
    if isCertain, let job = buffer.next() {
      start(job, in: slot, at: now)
      return (.run(job), buffer.hasFallenLow() && claims.wake())
    }
    slots.wait(slot)
    return (.wait, isCertain && claims.wake())
  }

  /// True if a further slot should be opened, because jobs of other slots wait outside.
  var lacksSlot: Bool { phase == .working && slots.insideCount < configuration.concurrency }

  /// Records that the handler of a slot's job has returned.
  ///
  /// - Returns: the consequence, and true if the job was told to end early. In that case the slot's task may
  ///   be cancelled at any time, so the outcome is written in a separate task.
  mutating func handlerReturned(_ slot: SlotTable.ID, succeeded: Bool)
    -> (settlement: Settlement, isInterrupted: Bool)
  {
    guard slots.isOpen(slot) else { return (.abandoned, true) }
    let settlement: Settlement
    let verdict = slots.markReturned(slot)
    switch (verdict, succeeded) {
    case (nil, true), (.late, true), (.handedBack, true): settlement = .complete
    case (nil, false): settlement = .fail
    case (.late, false): settlement = .timeOut
    case (.handedBack, false): settlement = .dropHandedBack
    case (.cancelled, _): settlement = .cancel
    case (.lost, _): settlement = .dropLost
    }
    return (settlement, verdict != nil)
  }

  /// Records that all jobs of a claim are done. Returns true if the acknowledgement loop has to be woken.
  mutating func claimEnded() -> Bool { acks.claimEnded() }
}
