internal import FoundationEssentials
package import Postgres
internal import Store

/// Follows a job from look to look: what is new since the last one.
package struct JobWatch: Sendable {
  /// Something that happened to a job.
  package struct Event: Sendable, Hashable {
    /// When, as far as the database knows.
    package let at: Timestamp?
    package let state: String
    package let attempt: Int
    /// How much is done, if the job said so.
    package let done: Double?
    /// What the job told, or why an attempt ended.
    package let text: String?
  }

  private var state: String?
  private var attempt = 0
  private var ended: Set<String> = []
  private var notes: Set<UUID> = []

  package init() {}

  /// What is new: ends of attempts and notes in their order, and then the state if it has changed.
  package mutating func events(_ detail: JobAdministration.Detail) -> [Event] {
    var events: [Event] = []
    for (place, attempt) in detail.attempts.enumerated() {
      guard let outcome = attempt.outcome, let at = attempt.finishedAt,
        ended.insert("\(place)/\(outcome)").inserted
      else { continue }
      // The last one is what the state says.
      guard outcome != "succeeded" || attempt.error != nil else { continue }
      events.append(
        Event(at: at, state: outcome, attempt: attempt.attempt, done: nil, text: attempt.error)
      )
    }
    for note in detail.notes where notes.insert(note.id).inserted {
      events.append(
        Event(at: note.at, state: "running", attempt: note.attempt, done: note.done, text: note.text)
      )
    }
    events.sort { ($0.at?.microseconds ?? 0) < ($1.at?.microseconds ?? 0) }
    if state != detail.job.state || attempt != detail.job.attempt {
      state = detail.job.state
      attempt = detail.job.attempt
      events.append(
        Event(at: detail.job.finishedAt, state: detail.job.state, attempt: attempt, done: nil, text: nil)
      )
    }
    return events
  }
}

extension JobAdministration.Detail {
  /// Whether nothing more happens to it unless somebody sees to it.
  package var isOver: Bool { ["succeeded", "dead", "cancelled"].contains(job.state) }
}
