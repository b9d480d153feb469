internal import FoundationEssentials
internal import Logging
internal import Store
internal import Synchronization

extension Worker {
  /// Writes down what running jobs have told, each at most once a second.
  func writeNotes() async {
    let now = ContinuousClock.now
    var companies: [UUID: [(job: ClaimedJob, notes: [JobNote])]] = [:]
    for slot in slots.withLock({ $0 }) {
      guard let (job, notes) = slot.takeNotes(now, isDueOnly: true) else { continue }
      companies[job.company, default: []].append((job, notes))
    }
    for (company, notes) in companies { await write(notes, company) }
  }

  /// Writes down what a job has told, now that its handler has returned: whoever sees its outcome sees that too.
  func writeLastNotes(of slot: Slot) async {
    guard let (job, notes) = slot.takeNotes(.now, isDueOnly: false) else { return }
    await write([(job, notes)], job.company)
  }

  private func write(_ notes: [(job: ClaimedJob, notes: [JobNote])], _ company: UUID) async {
    do {
      try await shielded { try await self.queue.write(notes, company: company, worker: self.id) }
    } catch {
      // What a job tells is not worth its failure.
      logger.warning(
        "what jobs told cannot be written",
        metadata: ["error": "\(error)", "notes": "\(notes.map(\.notes.count).reduce(0, +))"]
      )
    }
  }
}
