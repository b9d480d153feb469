internal import Domain
internal import FoundationEssentials
internal import Postgres

/// The position up to which a list of jobs was read: a queued row, and a deferred or ended job.
package struct JobPlace: Sendable, Hashable {
  /// The last queued row that was read; nil to start from the newest.
  struct QueuedPlace: Sendable, Hashable {
    let transaction: String
    let lane: UUID
    let id: UUID
  }

  /// The last deferred or ended job that was read; nil to start from the newest.
  struct DeferredPlace: Sendable, Hashable {
    let at: Instant
    let id: UUID
  }

  var queued: QueuedPlace?
  var deferred: DeferredPlace?

  /// Creates the beginning of a list.
  package init() {}

  /// Reads a place from the format of ``text``.
  ///
  /// - Throws: `invalid_input` for any other text.
  package init(parsing text: String) throws {
    let halves = text.split(separator: "~", omittingEmptySubsequences: false).map { half in
      half.split(separator: ".").map(String.init)
    }
    guard halves.count == 2 else { throw Self.refusal(text) }
    if !halves[0].isEmpty {
      guard halves[0].count == 3, UInt64(halves[0][0]) != nil, let lane = UUID(text: halves[0][1]),
        let id = UUID(text: halves[0][2])
      else { throw Self.refusal(text) }
      queued = QueuedPlace(transaction: halves[0][0], lane: lane, id: id)
    }
    if !halves[1].isEmpty {
      guard halves[1].count == 2, let at = Int64(halves[1][0]), let id = UUID(text: halves[1][1]) else {
        throw Self.refusal(text)
      }
      deferred = DeferredPlace(at: Instant(microseconds: at), id: id)
    }
  }

  /// The place as text, for a later command that continues the list.
  package var text: String {
    let queued = queued.map { "\($0.transaction).\($0.lane.text).\($0.id.text)" } ?? ""
    let deferred = deferred.map { "\($0.at.microseconds).\($0.id.text)" } ?? ""
    return "\(queued)~\(deferred)"
  }

  private static func refusal(_ text: String) -> DomainError {
    DomainError(
      .invalidInput,
      "\(Quoted(text)) is not a position in a list of jobs",
      hint: "pass to --after the position that the previous page printed"
    )
  }
}

/// A page of a list of jobs.
package struct JobPage: Sendable {
  package let jobs: [JobRow]
  /// The position after which the next page begins; nil if there is none.
  package let next: JobPlace?

  /// Merges two lists, each newest first, and finds the position after which the next page begins.
  ///
  /// - Parameter limit: the maximum size of the page, and the number of rows requested of each list. A list
  ///   with fewer rows is complete, unless it ends with a milestone.
  init(queued: [JobRow], deferred: [JobRow], limit: Int, after place: JobPlace) {
    var (queued, deferred) = (queued[...], deferred[...])
    let mayHaveMore = queued.count >= limit || deferred.count >= limit || queued.last?.isMilestone == true
    var place = place
    var jobs: [JobRow] = []
    while jobs.count < limit, !(queued.isEmpty && deferred.isEmpty) {
      let takesQueued = queued.first.map { job in
        job.isMilestone || deferred.first.map { job.listedAt >= $0.listedAt } ?? true
      }
      if takesQueued == true, let job = queued.popFirst() {
        place.queued = job.transaction.map { .init(transaction: $0, lane: job.lane, id: job.id) }
        if !job.isMilestone { jobs.append(job) }
      } else if let job = deferred.popFirst() {
        place.deferred = .init(at: job.listedAt, id: job.id)
        jobs.append(job)
      }
    }
    self.jobs = jobs
    next = mayHaveMore || !queued.isEmpty || !deferred.isEmpty ? place : nil
  }
}
