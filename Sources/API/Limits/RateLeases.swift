internal import Store

/// The permits that this process has taken from the database and not yet spent, as a value without a clock,
/// threads or a database.
///
/// Callers without a permit in memory wait for a round: one statement that takes permits of all limits that somebody
/// waits for, a block each, or more if more wait. One round is under way at a time, and those that come later wait
/// for the next one. So a process never keeps more than one block of a limit, and keeps none of an exact rule: each
/// of its permits has a caller that waits for it.
struct RateLeases {
  typealias Instant = ContinuousClock.Instant

  /// A rule and its subject.
  struct Key: Hashable {
    let rule: RateRule
    let subject: RateSubject

    static func == (left: Key, right: Key) -> Bool {
      left.subject == right.subject && left.rule.name == right.rule.name
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(rule.name)
      hasher.combine(subject)
    }
  }

  /// The answer to a request for one permit.
  enum Turn: Equatable {
    case granted(RateStanding)
    case refused(retryAfter: Duration, RateStanding)
  }

  /// A limit in a round.
  struct Share: Equatable {
    let key: Key
    /// The callers that wait, in the order of arrival.
    let waiters: [Int]

    /// The number of permits to take.
    var wanted: Int { max(key.rule.block, waiters.count) }
  }

  private struct Permits {
    /// Permits to spend.
    var count = 0
    /// The time until which the database grants none.
    var noneUntil: Instant?
    /// Permits left in the database at the last round.
    var remaining = 0
    /// The time at which all permits have come back, as of the last round.
    var resetAt: Instant
  }

  /// The maximum number of limits in each of the two generations below.
  private let capacity: Int
  /// Limits in use. If there are too many, they become the old generation, and the previous old generation is
  /// forgotten. Its permits are lost; none is granted by this.
  private var recent: [Key: Permits] = [:]
  private var old: [Key: Permits] = [:]
  /// The callers that wait for the next round, in the order of arrival.
  private var waiting: [Key: [Int]] = [:]

  init(capacity: Int = 20_000) {
    self.capacity = max(1, capacity)
  }

  /// The number of remembered limits.
  var count: Int { recent.count + old.count }

  /// Requests one permit from memory.
  ///
  /// - Returns: nil if only the database knows; see ``wait(_:waiter:)``.
  mutating func take(_ key: Key, now: Instant) -> Turn? {
    guard var permits = permits(of: key), let turn = spend(&permits, key, now) else { return nil }
    recent[key] = permits
    return turn
  }

  /// Adds a caller to the next round.
  mutating func wait(_ key: Key, waiter: Int) { waiting[key, default: []].append(waiter) }

  /// Begins a round; returns the limits that somebody waits for.
  mutating func begin() -> [Share] {
    defer { waiting = [:] }
    return waiting.map { Share(key: $0.key, waiters: $0.value) }
  }

  /// Records what the database has granted for a limit of a round.
  ///
  /// - Returns: the turns of the waiters of the share, and of those that have come since, as far as permits are left.
  mutating func granted(_ share: Share, _ grant: RateStore.Grant, now: Instant) -> [Int: Turn] {
    let key = share.key
    var permits = Permits(
      count: grant.granted,
      noneUntil: grant.granted < share.wanted ? now + grant.retryAfter : nil,
      remaining: grant.remaining,
      resetAt: now + grant.resetAfter
    )
    var waiters = (share.waiters + (waiting.removeValue(forKey: key) ?? []))[...]
    var turns: [Int: Turn] = [:]
    while let waiter = waiters.first, let turn = spend(&permits, key, now) {
      turns[waiter] = turn
      waiters.removeFirst()
    }
    if !waiters.isEmpty { waiting[key] = Array(waiters) }
    remember(key, permits)
    return turns
  }

  /// Spends a permit; returns nil if there is none, and the database may have more.
  private func spend(_ permits: inout Permits, _ key: Key, _ now: Instant) -> Turn? {
    if permits.count > 0 {
      permits.count -= 1
      return .granted(standing(key, permits, now))
    }
    guard let until = permits.noneUntil, now < until else { return nil }
    return .refused(retryAfter: until - now, standing(key, permits, now))
  }

  private func permits(of key: Key) -> Permits? { recent[key] ?? old[key] }

  private mutating func remember(_ key: Key, _ permits: Permits) {
    if recent.count >= capacity {
      old = recent
      recent = [:]
    }
    recent[key] = permits
  }

  private func standing(_ key: Key, _ permits: Permits, _ now: Instant) -> RateStanding {
    RateStanding(
      key.rule,
      remaining: permits.count + permits.remaining,
      resetSeconds: (permits.resetAt - now).wholeSeconds
    )
  }
}
