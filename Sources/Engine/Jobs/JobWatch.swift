internal import Domain
internal import FoundationEssentials
package import Postgres
internal import Store

/// Compares successive polls of a job and reports the changes.
package struct JobWatch: Sendable {
  /// An event in a job's life.
  package struct Event: Sendable, Hashable {
    /// The time of the event; nil if the database does not know it.
    package let at: Instant?
    /// The state of the job, or the outcome of an attempt.
    package let state: String
    package let attempt: Int
    /// The progress from 0 to 1; nil if the job did not report it.
    package let done: Double?
    /// The job's note, or the error of an attempt; nil if there is none.
    package let text: String?
  }

  private var state: JobState?
  private var attempt = 0
  private var ended: Set<String> = []
  private var notes: Set<UUID> = []

  package init() {}

  /// Returns the events since the last poll: ended attempts and notes by time, then the state if it has
  /// changed.
  package mutating func events(_ detail: JobAdministration.Detail) -> [Event] {
    var events: [Event] = []
    for (place, attempt) in detail.attempts.enumerated() {
      guard let outcome = attempt.outcome, let at = attempt.finishedAt,
        ended.insert("\(place)/\(outcome.rawValue)").inserted
      else { continue }
      // The state event reports a success.
      guard outcome != .succeeded || attempt.error != nil else { continue }
      events.append(
        Event(at: at, state: outcome.rawValue, attempt: attempt.attempt, done: nil, text: attempt.error)
      )
    }
    for note in detail.notes where notes.insert(note.id).inserted {
      events.append(
        Event(
          at: note.at,
          state: JobState.running.rawValue,
          attempt: note.attempt,
          done: note.done,
          text: note.text
        )
      )
    }
    events.sort { ($0.at?.microseconds ?? 0) < ($1.at?.microseconds ?? 0) }
    if state != detail.job.state || attempt != detail.job.attempt {
      state = detail.job.state
      attempt = detail.job.attempt
      events.append(
        Event(
          at: detail.job.finishedAt,
          state: detail.job.state.rawValue,
          attempt: attempt,
          done: nil,
          text: nil
        )
      )
    }
    return events
  }
}

extension JobAdministration.Detail {
  /// True if the job will not change without an operator's action.
  package var isOver: Bool { job.state.isFinished }
}
