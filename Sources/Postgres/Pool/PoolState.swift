internal import FoundationEssentials

/// Who holds which connection and who waits: the rules of the pool, without connections, threads or clocks.
///
/// Connections and waiters are numbers. Each event says what is to be done about it.
struct PoolState {
  typealias Instant = ContinuousClock.Instant

  struct Limits {
    var size: Int
    var perKey: Int?
    var lifetime: Duration
    var leaseTimeout: Duration
  }

  /// What a request for a connection leads to.
  enum Acquisition: Equatable {
    case lease(Grant)
    case wait
    case closed
  }

  /// A connection in somebody's hands.
  struct Grant: Equatable {
    var connection: Int
    var lease: Int
    /// True when the connection is yet to be made.
    var isNew: Bool
    /// Connections that have grown too old and are to be closed.
    var retired: [Int] = []
  }

  /// What the return of a connection leads to.
  struct Return: Equatable {
    /// Waiters that now get a connection.
    var grants: [Waiter] = []
    /// Connections to be closed.
    var closed: [Int] = []
    /// True when the pool is closed and this was the last connection.
    var isDrained = false
  }

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
  private var idle: [Idle] = []
  private var held: [Int: Held] = [:]
  private var heldPerKey: [UUID: Int] = [:]
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
  var isDrained: Bool { isClosed && held.isEmpty && idle.isEmpty }
  /// When the first waiter gives up.
  var nextDeadline: Instant? { waiting.map(\.deadline).min() }

  /// Somebody wants a connection, and waits as that number if there is none.
  mutating func acquire(waiter: Int, key: UUID?, now: Instant) -> Acquisition {
    guard !isClosed else { return .closed }
    if let grant = acquireAtOnce(key: key, now: now) { return .lease(grant) }
    waiting.append(Waiting(number: waiter, key: key, deadline: now + limits.leaseTimeout))
    return .wait
  }

  /// Somebody wants a connection, but not to wait for it.
  mutating func acquireAtOnce(key: UUID?, now: Instant) -> Grant? {
    // Nobody overtakes a waiter, except one who waits for the share of his own key only.
    guard !isClosed, isEligible(key), !waiting.contains(where: { isEligible($0.key) }) else { return nil }
    return grant(key: key, now: now)
  }

  /// A connection comes back; an unusable one is replaced when somebody needs it.
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

  /// A waiter no longer wants a connection; false when it has one already.
  mutating func abandon(waiter: Int) -> Bool {
    guard let index = waiting.firstIndex(where: { $0.number == waiter }) else { return false }
    waiting.remove(at: index)
    return true
  }

  /// Takes out the waiters whose time has run out.
  mutating func expire(now: Instant) -> [Int] {
    let expired = waiting.filter { $0.deadline <= now }.map(\.number)
    if !expired.isEmpty { waiting.removeAll { $0.deadline <= now } }
    return expired
  }

  /// Nobody gets a connection any more: idle ones are closed, and all waiters are turned away.
  mutating func close() -> (waiters: [Int], connections: [Int]) {
    isClosed = true
    defer {
      waiting = []
      idle = []
    }
    return (waiting.map(\.number), idle.map(\.connection))
  }

  private func isEligible(_ key: UUID?) -> Bool {
    guard let key, let limit = limits.perKey else { return true }
    return heldPerKey[key, default: 0] < limit
  }

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

  /// Takes the connection used last, which is the warmest, or makes room for a new one.
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
