/// A connection of the pool: an actor whose executor is a dedicated thread.
///
/// Calls block that thread only, and nothing inside suspends, so a transaction costs one hop in and one hop
/// out.
actor Connection {
  private let thread: PinnedThread
  private let configuration: Database.Configuration
  private let switches: Switches
  private let isDirect: Bool
  private let gate = CancelGate()
  private var wire: Wire?
  /// The time at which the last lease ended.
  private var lastUse = ContinuousClock.now

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    thread.asUnownedSerialExecutor()
  }

  /// Creates a connection object; it connects at the first use.
  init(_ configuration: Database.Configuration, switches: Switches, isDirect: Bool = false)
    throws(PostgresError)
  {
    thread = try PinnedThread()
    self.configuration = configuration
    self.switches = switches
    self.isDirect = isDirect
  }

  deinit {
    thread.stop()
  }

  /// Closes the connection on its own thread after the current work, without waiting for it.
  nonisolated func close() {
    // Unstructured: the task that returns a connection must not wait for an old one to close.
    Task { await self.disconnect() }
  }

  /// Closes the connection after the current work.
  func disconnect() {
    wire = nil
  }

  /// Cancels the current statement if the lease is still the current one. Returns at once.
  nonisolated func cancel(lease: Int) {
    gate.cancel(lease: lease)
  }

  /// Runs `work` on this connection's thread and ends the lease.
  ///
  /// If an idle connection turns out to be dead before `work` has received any result, or if the server has
  /// lost a prepared statement, `work` runs a second time, on a new connection if necessary.
  ///
  /// - Throws: the error of `work`, of ``Database/Configuration/onConnect``, or of connecting.
  func perform<T: Sendable>(
    lease: Lease,
    pool: Pool,
    _ work: @Sendable (Wire) throws -> T
  ) throws -> T {
    gate.beginLease(lease.number)
    // The cancellation handler may have run before the lease began.
    if Task.isCancelled { gate.cancel(lease: lease.number) }
    defer {
      gate.endLease()
      lastUse = .now
      tidyUp()
      if pool.isClosed { wire = nil }
      pool.release(lease, isUsable: true)
    }
    let isPooled = try prepareWire()
    let wire = try connected()
    wire.transaction.isAnswered = false
    do {
      return try work(wire)
    } catch let error as PostgresError {
      guard !gate.isCancelled, wire.canRepeat(error, isPooled: isPooled) else { throw error }
      return try work(try connected())
    }
  }

  /// Runs `work` on a connection outside the pool, which is closed afterwards.
  func performAlone<T: Sendable>(_ work: @Sendable (Session) throws -> T) throws -> T {
    gate.beginLease(1)
    if Task.isCancelled { gate.cancel(lease: 1) }
    defer {
      gate.endLease()
      wire = nil
    }
    return try work(Session(wire: try connected()))
  }

  /// Drops a connection that is closed or suspect. Returns true if an existing connection can be used.
  private func prepareWire() throws -> Bool {
    guard let wire else { return false }
    // Under load a connection is reused immediately; the system call would find nothing then.
    let isStale = ContinuousClock.now - lastUse > .milliseconds(10) && wire.looksClosed
    if !wire.isAlive || isStale || wire.isSuspect { self.wire = nil }
    return self.wire != nil
  }

  /// Returns the open connection; opens one if there is none.
  private func connected() throws -> Wire {
    if let wire, wire.isAlive, !wire.isMisplaced { return wire }
    wire = nil
    let new = try Wire(configuration, direct: isDirect, switches: switches, gate: gate)
    if let onConnect = configuration.onConnect { try onConnect(Session(wire: new)) }
    wire = new
    return new
  }

  /// Resets the connection for its next user; closes it if that fails.
  private func tidyUp() {
    guard let wire else { return }
    wire.tidyUp()
    if !wire.isReusable { self.wire = nil }
  }
}
