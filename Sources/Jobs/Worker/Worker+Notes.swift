internal import FoundationEssentials
internal import Logging
internal import Postgres
internal import Store
internal import Synchronization

extension Worker {
  /// Writes the notes of running jobs, at most once a second per job, in one transaction per company.
  func writeNotes() async {
    let now = ContinuousClock.now
    var companies: [UUID: [(job: ClaimedJob, notes: [JobNote])]] = [:]
    for slot in slots.withLock({ Array($0.values) }) {
      guard let (job, notes) = slot.takeNotes(now) else { continue }
      companies[job.company, default: []].append((job, notes))
    }
    for (company, notes) in companies { await write(notes, company) }
  }

  /// Writes a job's remaining notes after its handler has returned, so that they are visible with its
  /// outcome.
  func writeLastNotes(of slot: Slot) async {
    guard let (job, notes) = slot.takeLastNotes(.now) else { return }
    await write([(job, notes)], job.company)
  }

  /// Writes notes of jobs of one company. If the write fails, the notes are lost and a warning is logged.
  private func write(_ notes: [(job: ClaimedJob, notes: [JobNote])], _ company: UUID) async {
    do {
      try await shielded { try await self.queue.write(notes, company: company, worker: self.id) }
    } catch {
      // Lost notes must not fail the job.
      logger.warning(
        "notes of jobs cannot be written",
        metadata: ["error": "\(error)", "notes": "\(notes.map(\.notes.count).reduce(0, +))"]
      )
    }
  }
}
