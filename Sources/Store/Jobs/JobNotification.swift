package import FoundationEssentials

/// What a notification of the notifier says: which lanes have got jobs.
///
/// A lane is told by its id alone, which says nothing to those who do not know it already: whoever may
/// connect to the database may listen, also one who sees a single company only.
package struct JobNotification: Sendable, Equatable {
  /// As many as are told; more of them together are told as unknown.
  static let most = 64

  /// Nil: not known, or too many to tell; whoever hears it has to look.
  package private(set) var lanes: Set<UUID>?

  /// That there are jobs somewhere.
  package static let unknown = JobNotification(lanes: nil)

  private init(lanes: Set<UUID>?) { self.lanes = lanes }

  /// That there are jobs in a lane.
  package init(_ lane: Lane) { lanes = [lane.id] }

  /// That these jobs were enqueued in a company; nil when none of them can run at once.
  package init?(_ jobs: [NewJob], company: UUID) {
    let ready = jobs.lazy.filter { $0.runAt == nil }.map {
      Lane(company: company, queue: $0.queue, kind: $0.kind, priority: $0.priority).id
    }
    guard !ready.isEmpty else { return nil }
    self = Self.unknown
    // One by one, since thousands of jobs are mostly of one lane.
    var told: Set<UUID> = []
    for lane in ready {
      told.insert(lane)
      guard told.count <= Self.most else { return }
    }
    lanes = told
  }

  /// Adds what somebody else has to say.
  package mutating func add(_ other: JobNotification) {
    guard let mine = lanes, let others = other.lanes, mine.count + others.count <= Self.most else {
      lanes = nil
      return
    }
    lanes = mine.union(others)
  }

  /// As it is notified; without lanes, nothing.
  var payload: String { (lanes ?? []).map(\.uuidString).joined(separator: " ").lowercased() }

  /// Reads what was notified; what is not understood says that there are jobs somewhere.
  package init(payload: String) {
    let words = payload.split(separator: " ")
    let ids = words.compactMap { UUID(uuidString: String($0)) }
    lanes = ids.isEmpty || ids.count != words.count ? nil : Set(ids)
  }
}
