internal import Store

/// The permits that this process has taken from the database and not yet spent, as a value without a clock,
/// threads or a database.
///
/// A lease is the taking of a block of permits. At most one lease of a limit is under way at a time, and other callers
/// wait for its result. So a process never holds more than one block of a limit.
struct RateLeases {
  typealias Instant = ContinuousClock.Instant

  /// A rule and its subject.
  struct Key: Hashable {
    let rule: RateRule
    let subject: String

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
    /// The caller takes a block from the database, and then calls ``leased(_:grant:now:)`` or
    /// ``failed(_:passOn:)``.
    case lease
    /// Another caller takes a block. The result of that lease has the turn of the waiter.
    case wait
  }

  /// The turns of waiters after a lease.
  struct Result: Equatable {
    /// The turn of the caller that leased.
    var own: Turn
    var others: [Int: Turn] = [:]
  }

  private struct Permits {
    /// Permits to spend.
    var count = 0
    /// The time until which the database grants none.
    var noneUntil: Instant?
    /// Permits left in the database at the last lease.
    var remaining = 0
    /// The time at which all permits have come back, as of the last lease.
    var resetAt: Instant
  }

  /// The maximum number of limits in each of the two generations below.
  private let capacity: Int
  /// Limits in use. If there are too many, they become the old generation, and the previous old generation is
  /// forgotten. Its permits are lost; none is granted by this.
  private var recent: [Key: Permits] = [:]
  private var old: [Key: Permits] = [:]
  /// The waiters of each lease under way, in the order of arrival.
  private var leasing: [Key: [Int]] = [:]

  init(capacity: Int = 20_000) {
    self.capacity = max(1, capacity)
  }

  /// The number of remembered limits.
  var count: Int { recent.count + old.count }

  /// Requests one permit.
  ///
  /// - Parameter waiter: the number under which the caller waits; nil if it does not: a lease under way is then
  ///   answered with ``Turn/wait``, and nothing is registered.
  mutating func take(_ key: Key, waiter: Int? = nil, now: Instant) -> Turn {
    if var permits = permits(of: key) {
      if permits.count > 0 {
        permits.count -= 1
        recent[key] = permits
        return .granted(standing(key, permits, now))
      }
      if let until = permits.noneUntil, now < until {
        return .refused(retryAfter: until - now, standing(key, permits, now))
      }
    }
    guard leasing[key] != nil else {
      if waiter != nil { leasing[key] = [] }
      return waiter == nil ? .wait : .lease
    }
    if let waiter { leasing[key]?.append(waiter) }
    return .wait
  }

  /// Records a lease, and spends its permits: one for the caller, then one for each waiter.
  ///
  /// If the block was whole and is spent, the next waiter leases again.
  mutating func leased(_ key: Key, grant: RateStore.Grant, now: Instant) -> Result {
    var permits = Permits(
      count: grant.granted,
      noneUntil: grant.granted < key.rule.block ? now + grant.retryAfter : nil,
      remaining: grant.remaining,
      resetAt: now + grant.resetAfter
    )
    var turns: [Turn] = []
    var waiters = leasing.removeValue(forKey: key) ?? []
    var next: Int?
    for index in 0...waiters.count {
      if permits.count > 0 {
        permits.count -= 1
        turns.append(.granted(standing(key, permits, now)))
      } else if let until = permits.noneUntil {
        turns.append(.refused(retryAfter: max(.zero, until - now), standing(key, permits, now)))
      } else {
        next = index - 1
        break
      }
    }
    remember(key, permits)
    var result = Result(own: turns[0])
    for (waiter, turn) in zip(waiters, turns.dropFirst()) { result.others[waiter] = turn }
    if let next {
      result.others[waiters[next]] = .lease
      waiters.removeFirst(next + 1)
      leasing[key] = waiters
    }
    return result
  }

  /// Records a failed lease.
  ///
  /// - Parameter passOn: true to let the first waiter lease instead, because the caller was cancelled.
  /// - Returns: the waiter that leases now, and the waiters that fail like the caller.
  mutating func failed(_ key: Key, passOn: Bool) -> (next: Int?, failed: [Int]) {
    guard var waiters = leasing.removeValue(forKey: key) else { return (nil, []) }
    guard passOn, !waiters.isEmpty else { return (nil, waiters) }
    let next = waiters.removeFirst()
    leasing[key] = waiters
    return (next, [])
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
