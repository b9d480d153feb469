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
    var waiting: Int?
    var waitingPerKey: Int?
  }

  /// The outcome of a request for a connection.
  enum Acquisition: Equatable {
    case lease(Grant)
    case wait
    /// Too many requests wait already.
    case full
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
    var key: UUID?
    var deadline: Instant
  }

  /// The key of a queue: a pool key, or none.
  private enum QueueKey: Hashable {
    case none
    case key(UUID)

    init(_ key: UUID?) { self = key.map { .key($0) } ?? .none }

    var key: UUID? {
      guard case .key(let key) = self else { return nil }
      return key
    }
  }

  let limits: Limits
  /// Connections not in use; the one used last is at the end.
  private var idle: [Idle] = []
  /// Connections in use, by lease.
  private var held: [Int: Held] = [:]
  private var heldPerKey: [UUID: Int] = [:]
  /// Waiting requests, by number.
  private var waiting: [Int: Waiting] = [:]
  /// The numbers of waiting requests in the order of arrival, and so of their deadlines.
  private var arrivals = LinkedOrder<Int>()
  /// The same numbers, by key.
  private var queues: [QueueKey: LinkedOrder<Int>] = [:]
  /// The keys whose waiters lack only a free connection, in round-robin order. If there is one, no connection is
  /// free.
  private var ready = LinkedOrder<QueueKey>()
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
  var nextDeadline: Instant? { arrivals.first.flatMap { waiting[$0]?.deadline } }

  /// Requests a connection; registers the waiter if none is free for its key.
  mutating func acquire(waiter: Int, key: UUID?, now: Instant) -> Acquisition {
    guard !isClosed else { return .closed }
    if let grant = acquireAtOnce(key: key, now: now) { return .lease(grant) }
    let queue = QueueKey(key)
    if let limit = limits.waiting, waiting.count >= limit { return .full }
    if key != nil, let limit = limits.waitingPerKey, queues[queue]?.count ?? 0 >= limit { return .full }
    waiting[waiter] = Waiting(key: key, deadline: now + limits.leaseTimeout)
    arrivals.append(waiter)
    queues[queue, default: LinkedOrder()].append(waiter)
    if isEligible(key) { ready.append(queue) }
    return .wait
  }

  /// Requests a connection without waiting; `nil` if there is none or others wait for it.
  mutating func acquireAtOnce(key: UUID?, now: Instant) -> Grant? {
    // Waiters come first, except those that wait only for the share of their own key.
    guard !isClosed, isEligible(key), ready.isEmpty else { return nil }
    return grant(key: key, now: now)
  }

  /// Returns a connection to the pool; an unusable or too old one is dropped and replaced on demand.
  mutating func release(lease: Int, isUsable: Bool, now: Instant) -> Return {
    guard let returned = held.removeValue(forKey: lease) else { return Return() }
    if let key = returned.key, let count = heldPerKey[key] {
      heldPerKey[key] = count > 1 ? count - 1 : nil
      if queues[.key(key)] != nil { ready.append(.key(key)) }
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
  mutating func abandon(waiter: Int) -> Bool { remove(waiter) }

  /// Removes and returns the waiters whose deadline has passed.
  mutating func expire(now: Instant) -> [Int] {
    var expired: [Int] = []
    while let waiter = arrivals.first, let deadline = waiting[waiter]?.deadline, deadline <= now {
      expired.append(waiter)
      remove(waiter)
    }
    return expired
  }

  /// Closes the pool: returns all waiters and the idle connections, which must be closed.
  mutating func close() -> (waiters: [Int], connections: [Int]) {
    isClosed = true
    var waiters: [Int] = []
    while let waiter = arrivals.first {
      waiters.append(waiter)
      remove(waiter)
    }
    defer { idle = [] }
    return (waiters, idle.map(\.connection))
  }

  /// Removes a waiter from all queues. Returns false if it does not wait.
  @discardableResult
  private mutating func remove(_ waiter: Int) -> Bool {
    guard let removed = waiting.removeValue(forKey: waiter) else { return false }
    arrivals.remove(waiter)
    let queue = QueueKey(removed.key)
    queues[queue]?.remove(waiter)
    if queues[queue]?.isEmpty ?? true {
      queues[queue] = nil
      ready.remove(queue)
    }
    return true
  }

  /// Returns true if the key holds fewer connections than its maximum.
  private func isEligible(_ key: UUID?) -> Bool {
    guard let key, let limit = limits.perKey else { return true }
    return heldPerKey[key, default: 0] < limit
  }

  /// Grants free connections to waiters, one of each key in turn. Keys that have their maximum are not ready.
  private mutating func serveWaiters(now: Instant, _ result: inout Return) {
    while let queue = ready.first, let waiter = queues[queue]?.first {
      guard var grant = grant(key: queue.key, now: now) else { return }
      result.closed += grant.retired
      grant.retired = []
      result.grants.append(Waiter(number: waiter, grant: grant))
      remove(waiter)
      // The key goes to the end of the round, if it still has waiters and may hold more.
      ready.remove(queue)
      if queues[queue] != nil, isEligible(queue.key) { ready.append(queue) }
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
