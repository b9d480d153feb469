internal import FoundationEssentials

/// The limits that handlers declare for their kinds.
///
/// Of kinds that use a worker's slots, it runs a few jobs per company, and keeps a quarter of its slots for other kinds.
/// Kinds that wait for servers of customers use places of their own beside the slots; see ``ReceiverShares``.
///
/// They hold in each worker separately and need no tokens from the database.
struct DeclaredLimits: Sendable {
  /// The limit in the keys of declared limits.
  private static let limit = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  /// The key under which the jobs of all companies and declared kinds in slots are counted together.
  private static let together = JobRules.TokenKey(limit: limit, company: JobRules.everyCompany)
  /// The key under which the jobs of all companies beside the slots are counted together.
  private static let outside = JobRules.TokenKey(limit: limit, company: JobRules.everyCompany, kind: "")

  /// The maximum number of running jobs per company, by kind.
  private let perCompany: [String: Int]
  /// The maximum number of running jobs of all these kinds together in slots.
  private let total: Int
  /// The shares of the kinds that run beside the slots.
  private var shares: ReceiverShares

  /// - Parameters:
  ///   - declared: the maximum numbers of running jobs per company, by kind.
  ///   - outside: the kinds that run beside the slots.
  ///   - slots: the maximum number of jobs that the worker runs at once in slots.
  ///   - places: the maximum number of jobs beside the slots.
  init(_ declared: [String: Int] = [:], outside: Set<String> = [], slots: Int = 1, places: Int = 1) {
    perCompany = Dictionary(
      uniqueKeysWithValues: declared.map { kind, limit in
        (kind, outside.contains(kind) ? limit : min(limit, max(1, slots / 2)))
      }
    )
    total = max(1, slots - max(1, slots / 4))
    shares = ReceiverShares(kinds: outside.intersection(declared.keys), places: places)
  }

  /// True if no kind is limited.
  var isEmpty: Bool { perCompany.isEmpty }

  /// True if a kind is limited.
  func limits(_ kind: String) -> Bool { perCompany[kind] != nil }

  /// Returns the keys under which running jobs of a lane are counted.
  func keys(of lane: Lane) -> [JobRules.TokenKey] {
    guard limits(lane.kind) else { return [] }
    return [Self.key(lane), shares.contains(lane.kind) ? Self.outside : Self.together]
  }

  /// Records that jobs of a lane were claimed.
  mutating func begin(_ lane: Lane, _ jobs: Int, at now: ContinuousClock.Instant) {
    if shares.contains(lane.kind) { shares.begin(Self.key(lane), jobs, at: now) }
  }

  /// Records that jobs of a lane have ended.
  mutating func end(_ lane: Lane, _ jobs: Int, at now: ContinuousClock.Instant) {
    if shares.contains(lane.kind) { shares.end(Self.key(lane), jobs, at: now) }
  }

  /// Forgets the running jobs, because their leases were lost.
  mutating func forgetRunning() { shares.forgetRunning() }

  /// Returns the number of jobs of a lane that may run in addition to the running ones.
  ///
  /// - Parameters:
  ///   - isReplaced: true if an operator has set another limit for the company.
  ///   - used: returns the number of running jobs under a key.
  func room(
    for lane: Lane,
    isReplaced: Bool,
    at now: ContinuousClock.Instant,
    used: (JobRules.TokenKey) -> Int
  ) -> Int {
    guard let limit = perCompany[lane.kind] else { return .max }
    let key = Self.key(lane)
    guard !shares.contains(lane.kind) else {
      let limit = isReplaced ? nil : limit
      return shares.room(for: key, limit: limit, all: used(Self.outside), at: now, used: used)
    }
    let common = total - used(Self.together)
    return max(0, isReplaced ? common : min(common, limit - used(key)))
  }

  private static func key(_ lane: Lane) -> JobRules.TokenKey {
    JobRules.TokenKey(limit: limit, company: lane.company, kind: lane.kind)
  }
}
