internal import FoundationEssentials
internal import Synchronization

/// The connections of a database and the requests that wait for one: ``PoolState`` with threads and
/// continuations. Safe on any thread.
final class Pool: Sendable {
  private struct Contents {
    var state: PoolState
    var connections: [Int: Connection] = [:]
    var waiters: [Int: CheckedContinuation<Lease, any Error>] = [:]
    var lastWaiter = 0
    var isReaping = false
    var drained: [CheckedContinuation<Void, Never>] = []
  }

  /// What follows from a change once the lock is free.
  private struct Effects {
    var closed: [Connection] = []
    var answers: [(CheckedContinuation<Lease, any Error>, Result<Lease, any Error>)] = []
    var drained: [CheckedContinuation<Void, Never>] = []

    mutating func answer(
      _ waiter: CheckedContinuation<Lease, any Error>?,
      _ result: Result<Lease, any Error>
    ) {
      if let waiter { answers.append((waiter, result)) }
    }

    func run() {
      for (waiter, result) in answers { waiter.resume(with: result) }
      for connection in closed { connection.close() }
      for continuation in drained { continuation.resume() }
    }
  }

  private let contents: Mutex<Contents>
  private let configuration: Database.Configuration
  private let switches: Switches

  init(_ configuration: Database.Configuration, switches: Switches) {
    self.configuration = configuration
    self.switches = switches
    let limits = PoolState.Limits(
      size: max(1, configuration.poolSize),
      perKey: configuration.maxPerKey.map { max(1, $0) },
      lifetime: configuration.maxLifetime,
      leaseTimeout: configuration.leaseTimeout,
      waiting: configuration.maxWaiting.map { max(0, $0) },
      waitingPerKey: configuration.maxWaitingPerKey.map { max(0, $0) }
    )
    contents = Mutex(Contents(state: PoolState(limits: limits)))
  }

  /// Returns a connection. If none is free, waits: the requests of a key in the order of arrival, the keys in
  /// turn. Requests whose key has its maximum do not hold up others.
  ///
  /// - Throws: ``PostgresError`` of kind `poolTimeout`, also if too many wait already, `closed`, or `connection` if no thread can be
  ///   started; `CancellationError` if the task is cancelled while waiting.
  func lease(key: UUID?) async throws -> Lease {
    try Task.checkCancellation()
    let atOnce = try change { contents, effects in
      try contents.state.acquireAtOnce(key: key, now: .now).map { try hand($0, &contents, &effects) }
    }
    if let atOnce { return atOnce }
    let waiter = contents.withLock { contents in
      contents.lastWaiter += 1
      return contents.lastWaiter
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { queue(waiter, key, $0) }
    } onCancel: {
      abandon(waiter)
    }
  }

  /// Takes a connection back and passes it to the next waiter, or closes it.
  ///
  /// - Parameter isUsable: false to close the connection.
  func release(_ lease: Lease, isUsable: Bool) {
    change { contents, effects in
      let result = contents.state.release(lease: lease.number, isUsable: isUsable, now: .now)
      serve(result, &contents, &effects)
    }
  }

  /// The current use of the pool.
  var load: PoolLoad {
    contents.withLock {
      let state = $0.state
      return PoolLoad(
        used: state.heldCount,
        idle: state.idleCount,
        waiting: state.waitingCount,
        size: state.limits.size
      )
    }
  }

  /// True if the pool has been closed.
  var isClosed: Bool { contents.withLock { $0.state.isClosed } }

  /// Fails waiting requests, closes idle connections, and returns when connections in use have been returned.
  func close() async {
    let (closed, refused) = contents.withLock { contents in
      let (waiters, connections) = contents.state.close()
      return (
        connections.compactMap { contents.connections.removeValue(forKey: $0) },
        waiters.compactMap { contents.waiters.removeValue(forKey: $0) }
      )
    }
    for connection in closed { await connection.disconnect() }
    for waiter in refused { waiter.resume(throwing: Self.closedError) }
    await withCheckedContinuation { continuation in
      let isDrained = contents.withLock { contents in
        if !contents.state.isDrained { contents.drained.append(continuation) }
        return contents.state.isDrained
      }
      if isDrained { continuation.resume() }
    }
  }

  private static var closedError: PostgresError { PostgresError(.closed, "the database has been closed") }

  /// Changes the contents under the lock, and does what follows when it is free.
  ///
  /// No task is resumed under the lock. While the runtime cancels a task, it runs ``abandon(_:)``, which waits for this
  /// lock, and lets nobody resume the task meanwhile: the two would wait for each other, and everybody for them.
  private func change<Value: Sendable>(
    _ body: (inout Contents, inout Effects) throws -> Value
  ) rethrows -> Value {
    var effects = Effects()
    defer { effects.run() }
    return try contents.withLock { try body(&$0, &effects) }
  }

  /// Registers a waiter, unless a connection has become free meanwhile.
  private func queue(_ waiter: Int, _ key: UUID?, _ continuation: CheckedContinuation<Lease, any Error>) {
    let mustReap = change { contents, effects in
      switch contents.state.acquire(waiter: waiter, key: key, now: .now) {
      case .lease(let grant):
        effects.answer(continuation, Result { try hand(grant, &contents, &effects) })
      case .full:
        let message = "too many requests wait for a connection of the pool"
        effects.answer(continuation, .failure(PostgresError(.poolTimeout, message)))
      case .closed:
        effects.answer(continuation, .failure(Self.closedError))
      case .wait:
        contents.waiters[waiter] = continuation
        defer { contents.isReaping = true }
        return !contents.isReaping
      }
      return false
    }
    // The cancellation handler may have run before the waiter was registered.
    if Task.isCancelled { abandon(waiter) }
    // Unstructured: the task serves all waiters and must outlive the one that started it. It ends when there
    // are no waiters.
    if mustReap { Task { await reap() } }
  }

  /// Ends the wait of a cancelled task, unless it has a connection already.
  private func abandon(_ waiter: Int) {
    change { contents, effects in
      guard contents.state.abandon(waiter: waiter) else { return }
      effects.answer(contents.waiters.removeValue(forKey: waiter), .failure(CancellationError()))
    }
  }

  /// Fails the waiters whose time is over, until there are none.
  private func reap() async {
    while true {
      let next = change { contents, effects in
        for waiter in contents.state.expire(now: .now) {
          let message = "no connection became free within \(configuration.leaseTimeout)"
          effects.answer(
            contents.waiters.removeValue(forKey: waiter),
            .failure(PostgresError(.poolTimeout, message))
          )
        }
        let next = contents.state.nextDeadline
        if next == nil { contents.isReaping = false }
        return next
      }
      guard let next else { return }
      // Never cancelled, so the sleep ends by the clock only.
      try? await Task.sleep(until: next)
    }
  }

  /// Turns a grant into a connection object, which connects when it is used.
  private func hand(_ grant: PoolState.Grant, _ contents: inout Contents, _ effects: inout Effects) throws
    -> Lease
  {
    effects.closed += grant.retired.compactMap { contents.connections.removeValue(forKey: $0) }
    if let connection = contents.connections[grant.connection] {
      return Lease(connection: connection, number: grant.lease)
    }
    do {
      let connection = try Connection(configuration, switches: switches)
      contents.connections[grant.connection] = connection
      return Lease(connection: connection, number: grant.lease)
    } catch {
      serve(contents.state.release(lease: grant.lease, isUsable: false, now: .now), &contents, &effects)
      throw error
    }
  }

  /// Closes what a return has closed, and hands its connections to their waiters.
  private func serve(_ result: PoolState.Return, _ contents: inout Contents, _ effects: inout Effects) {
    effects.closed += result.closed.compactMap { contents.connections.removeValue(forKey: $0) }
    for waiter in result.grants {
      let continuation = contents.waiters.removeValue(forKey: waiter.number)
      effects.answer(continuation, Result { try hand(waiter.grant, &contents, &effects) })
    }
    guard result.isDrained else { return }
    effects.drained += contents.drained
    contents.drained = []
  }
}

/// A connection in use, until it is released.
struct Lease: Sendable {
  let connection: Connection
  let number: Int
}
