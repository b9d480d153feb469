internal import FoundationEssentials

/// The rules of the pool, as a value: connections and waiters are numbers; there are no threads or clocks.
///
/// Each method records an event and returns the actions that follow.
struct PoolState {
  typealias Instant = ContinuousClock.Instant

  /// The limits of the pool; see ``Database/Configuration``.
  struct Limits {
    var size: Int
    var perKey: Int?
    var lifetime: Duration
    var leaseTimeout: Duration
  }

  /// The outcome of a request for a connection.
  enum Acquisition: Equatable {
    case lease(Grant)
    case wait
    case closed
  }

  /// A connection in use.
  struct Grant: Equatable {
    var connection: Int
    var lease: Int
    /// True if the connection still has to be opened.
    var isNew: Bool
    /// Connections that exceeded their maximum age and must be closed.
    var retired: [Int] = []
  }

  /// The actions after a connection was returned.
  struct Return: Equatable {
    /// Waiters that now get a connection.
    var grants: [Waiter] = []
    /// Connections to close.
    var closed: [Int] = []
    /// True if the pool is closed and this was the last connection.
    var isDrained = false
  }

  /// A waiter with the connection granted to it.
  struct Waiter: Equatable {
    var number: Int
    var grant: Grant
  }

  private struct Idle {
    var connection: Int
    var born: Instant
  }

  private struct Held {
    var connection: Int
    var born: Instant
    var key: UUID?
  }

  private struct Waiting {
    var number: Int
    var key: UUID?
    var deadline: Instant
  }

  let limits: Limits
  /// Connections not in use; the one used last is at the end.
  private var idle: [Idle] = []
  /// Connections in use, by lease.
  private var held: [Int: Held] = [:]
  private var heldPerKey: [UUID: Int] = [:]
  /// Requests in the order of arrival.
  private var waiting: [Waiting] = []
  private var lastConnection = 0
  private var lastLease = 0
  private(set) var isClosed = false

  init(limits: Limits) {
    self.limits = limits
  }

  var idleCount: Int { idle.count }
  var heldCount: Int { held.count }
  var waitingCount: Int { waiting.count }
  /// True if the pool is closed and has no connections.
  var isDrained: Bool { isClosed && held.isEmpty && idle.isEmpty }
  /// The earliest deadline of a waiter.
  var nextDeadline: Instant? { waiting.map(\.deadline).min() }

  /// Requests a connection; registers the waiter if none is free for its key.
  mutating func acquire(waiter: Int, key: UUID?, now: Instant) -> Acquisition {
    guard !isClosed else { return .closed }
    if let grant = acquireAtOnce(key: key, now: now) { return .lease(grant) }
    waiting.append(Waiting(number: waiter, key: key, deadline: now + limits.leaseTimeout))
    return .wait
  }

  /// Requests a connection without waiting; `nil` if there is none or others wait for it.
  mutating func acquireAtOnce(key: UUID?, now: Instant) -> Grant? {
    // Waiters come first, except those that wait only for the share of their own key.
    guard !isClosed, isEligible(key), !waiting.contains(where: { isEligible($0.key) }) else { return nil }
    return grant(key: key, now: now)
  }

  /// Returns a connection to the pool; an unusable or too old one is dropped and replaced on demand.
  mutating func release(lease: Int, isUsable: Bool, now: Instant) -> Return {
    guard let returned = held.removeValue(forKey: lease) else { return Return() }
    if let key = returned.key, let count = heldPerKey[key] {
      heldPerKey[key] = count > 1 ? count - 1 : nil
    }
    var result = Return()
    if isUsable, !isClosed, now < returned.born + limits.lifetime {
      idle.append(Idle(connection: returned.connection, born: returned.born))
    } else {
      result.closed.append(returned.connection)
    }
    serveWaiters(now: now, &result)
    result.isDrained = isDrained
    return result
  }

  /// Removes a waiter. Returns false if it already has a connection.
  mutating func abandon(waiter: Int) -> Bool {
    guard let index = waiting.firstIndex(where: { $0.number == waiter }) else { return false }
    waiting.remove(at: index)
    return true
  }

  /// Removes and returns the waiters whose deadline has passed.
  mutating func expire(now: Instant) -> [Int] {
    let expired = waiting.filter { $0.deadline <= now }.map(\.number)
    if !expired.isEmpty { waiting.removeAll { $0.deadline <= now } }
    return expired
  }

  /// Closes the pool: returns all waiters and the idle connections, which must be closed.
  mutating func close() -> (waiters: [Int], connections: [Int]) {
    isClosed = true
    defer {
      waiting = []
      idle = []
    }
    return (waiting.map(\.number), idle.map(\.connection))
  }

  /// Returns true if the key holds fewer connections than its maximum.
  private func isEligible(_ key: UUID?) -> Bool {
    guard let key, let limit = limits.perKey else { return true }
    return heldPerKey[key, default: 0] < limit
  }

  /// Grants free connections to waiters in order, passing over those whose key has its maximum.
  private mutating func serveWaiters(now: Instant, _ result: inout Return) {
    var index = 0
    while index < waiting.count {
      guard isEligible(waiting[index].key) else {
        index += 1
        continue
      }
      guard var grant = grant(key: waiting[index].key, now: now) else { return }
      result.closed += grant.retired
      grant.retired = []
      result.grants.append(Waiter(number: waiting.remove(at: index).number, grant: grant))
    }
  }

  /// Takes the connection used most recently, or makes room for a new one. Returns `nil` if all are in use.
  private mutating func grant(key: UUID?, now: Instant) -> Grant? {
    var retired: [Int] = []
    while let candidate = idle.popLast() {
      guard now < candidate.born + limits.lifetime else {
        retired.append(candidate.connection)
        continue
      }
      return hold(candidate, key: key, isNew: false, retired)
    }
    guard !isClosed, held.count + idle.count < limits.size else { return nil }
    lastConnection += 1
    return hold(Idle(connection: lastConnection, born: now), key: key, isNew: true, retired)
  }

  private mutating func hold(_ connection: Idle, key: UUID?, isNew: Bool, _ retired: [Int]) -> Grant {
    lastLease += 1
    held[lastLease] = Held(connection: connection.connection, born: connection.born, key: key)
    if let key { heldPerKey[key, default: 0] += 1 }
    return Grant(connection: connection.connection, lease: lastLease, isNew: isNew, retired: retired)
  }
}
