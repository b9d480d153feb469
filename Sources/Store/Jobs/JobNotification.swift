package import FoundationEssentials

/// The payload of a notification: the lanes that got jobs.
///
/// Contains only the ids of lanes. Every role that may connect to the database may listen, even a role that
/// sees a single company, so the name of the channel is random and only workers can read it.
package struct JobNotification: Sendable, Equatable {
  /// The maximum number of lanes that a notification names; more lanes are sent as unknown.
  static let most = 64

  /// The ids of the lanes; nil if unknown or too many to name, so that receivers have to poll.
  package private(set) var lanes: Set<UUID>?

  /// A notification of jobs in unknown lanes.
  package static let unknown = JobNotification(lanes: nil)

  private init(lanes: Set<UUID>?) { self.lanes = lanes }

  /// Creates a notification of jobs in one lane.
  package init(_ lane: Lane) { lanes = [lane.id] }

  /// Creates a notification of jobs enqueued in a company; nil if none of them can run at once.
  package init?(_ jobs: [NewJob], company: UUID) {
    let ready = jobs.lazy.filter { $0.runAt == nil }.map {
      Lane(company: company, queue: $0.queue, kind: $0.kind, priority: $0.priority).id
    }
    guard !ready.isEmpty else { return nil }
    self = Self.unknown
    // One by one, so that counting ends at the first lane too many.
    var told: Set<UUID> = []
    for lane in ready {
      told.insert(lane)
      guard told.count <= Self.most else { return }
    }
    lanes = told
  }

  /// Adds the lanes of another notification; more than 64 lanes become unknown.
  package mutating func add(_ other: JobNotification) {
    guard let mine = lanes, let others = other.lanes, mine.count + others.count <= Self.most else {
      lanes = nil
      return
    }
    lanes = mine.union(others)
  }

  /// The ids of the lanes, separated by spaces; empty if the lanes are unknown.
  var payload: String { (lanes ?? []).map(\.uuidString).joined(separator: " ").lowercased() }

  /// Reads a payload; the lanes of an invalid or empty one are unknown.
  package init(payload: String) {
    let words = payload.split(separator: " ")
    let ids = words.compactMap { UUID(uuidString: String($0)) }
    lanes = ids.isEmpty || ids.count != words.count ? nil : Set(ids)
  }
}
