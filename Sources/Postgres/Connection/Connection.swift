/// One connection of the pool: an actor that lives on a thread of its own.
///
/// Everything it does blocks that thread and nobody else, and nothing inside it suspends, so one hop in and
/// one hop out is all that a transaction costs.
actor Connection {
  private let thread: PinnedThread
  private let configuration: Database.Configuration
  private let switches: Switches
  private let isDirect: Bool
  private let gate = CancelGate()
  private var wire: Wire?
  private var lastUse = ContinuousClock.now

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    thread.asUnownedSerialExecutor()
  }

  /// A connection that is made when it is first used.
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

  /// Closes the connection on its own thread, after what it is doing, without waiting for it.
  nonisolated func close() {
    // Unstructured, because whoever returns a connection must not wait for the goodbye to an old one.
    Task { await self.disconnect() }
  }

  /// Closes the connection, after what it is doing.
  func disconnect() {
    wire = nil
  }

  /// Interrupts what is done under that lease.
  nonisolated func cancel(lease: Int) {
    gate.cancel(lease: lease)
  }

  /// Runs `work` on this connection's thread, and gives the lease back.
  ///
  /// When a connection that was idle turns out to be dead before `work` has got any answer, or the server has
  /// forgotten a prepared statement, `work` is run once more, on a fresh connection if need be.
  func perform<T: Sendable>(
    lease: Lease,
    pool: Pool,
    _ work: @Sendable (Wire) throws -> T
  ) throws -> T {
    gate.beginLease(lease.number)
    // The handler may have run before the lease began.
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

  /// Runs `work` on a connection that nobody else uses and that is closed afterwards.
  func performAlone<T: Sendable>(_ work: @Sendable (Session) throws -> T) throws -> T {
    gate.beginLease(1)
    if Task.isCancelled { gate.cancel(lease: 1) }
    defer {
      gate.endLease()
      wire = nil
    }
    return try work(Session(wire: try connected()))
  }

  /// Looks after a connection that was left idle; true when there is one from before.
  private func prepareWire() throws -> Bool {
    guard let wire else { return false }
    // Under load connections are reused at once, and a system call each time would find nothing.
    let isStale = ContinuousClock.now - lastUse > .milliseconds(10) && wire.looksClosed
    if !wire.isAlive || isStale || wire.isSuspect { self.wire = nil }
    return self.wire != nil
  }

  private func connected() throws -> Wire {
    if let wire, wire.isAlive { return wire }
    wire = nil
    let new = try Wire(configuration, direct: isDirect, switches: switches, gate: gate)
    if let onConnect = configuration.onConnect { try onConnect(Session(wire: new)) }
    wire = new
    return new
  }

  /// Makes the connection fit for its next user, who makes a new one if this one is not.
  private func tidyUp() {
    guard let wire else { return }
    wire.tidyUp()
    if !wire.isReusable { self.wire = nil }
  }
}
