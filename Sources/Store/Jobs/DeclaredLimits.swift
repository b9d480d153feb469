internal import FoundationEssentials

/// The limits that handlers declare for their kinds: of kinds that wait for servers of customers, a worker
/// runs a few jobs per company, and keeps a quarter of its slots for other kinds.
///
/// They hold in each worker separately and need no tokens from the database.
struct DeclaredLimits: Sendable {
  /// The limit in the keys of declared limits.
  private static let limit = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  /// The key under which the jobs of all companies and declared kinds are counted together.
  private static let together = JobRules.TokenKey(limit: limit, company: JobRules.everyCompany)

  /// The maximum number of running jobs per company, by kind.
  private let perCompany: [String: Int]
  /// The maximum number of running jobs of all these kinds together.
  private let total: Int

  /// - Parameters:
  ///   - declared: the maximum numbers of running jobs per company, by kind.
  ///   - slots: the maximum number of jobs that the worker runs at once.
  init(_ declared: [String: Int] = [:], slots: Int = 1) {
    perCompany = declared.mapValues { min($0, max(1, slots / 2)) }
    total = max(1, slots - max(1, slots / 4))
  }

  /// True if no kind is limited.
  var isEmpty: Bool { perCompany.isEmpty }

  /// True if a kind is limited.
  func limits(_ kind: String) -> Bool { perCompany[kind] != nil }

  /// Returns the keys under which running jobs of a lane are counted.
  func keys(of lane: Lane) -> [JobRules.TokenKey] {
    limits(lane.kind) ? [Self.key(lane), Self.together] : []
  }

  /// Returns the number of jobs of a lane that may run in addition to the running ones.
  ///
  /// - Parameters:
  ///   - isReplaced: true if an operator has set another limit for the company.
  ///   - used: returns the number of running jobs under a key.
  func room(for lane: Lane, isReplaced: Bool, used: (JobRules.TokenKey) -> Int) -> Int {
    guard let limit = perCompany[lane.kind] else { return .max }
    let common = total - used(Self.together)
    return max(0, isReplaced ? common : min(common, limit - used(Self.key(lane))))
  }

  private static func key(_ lane: Lane) -> JobRules.TokenKey {
    JobRules.TokenKey(limit: limit, company: lane.company, kind: lane.kind)
  }
}
