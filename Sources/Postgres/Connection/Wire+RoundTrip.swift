internal import CLibPQ
internal import Glibc

extension Wire {
  /// Begins a round trip that cancelling the task may interrupt.
  ///
  /// - Throws: ``PostgresError`` of kind `connection` if the connection is dead, or `cancelled`.
  func beginRound() throws(PostgresError) {
    guard isAlive else { throw PostgresError(.connection, "the connection was lost earlier") }
    guard gate.beginRound() else { throw PostgresError(.cancelled, "the task was cancelled") }
    lostPlan = false
  }

  /// Sends the queued statements, reads all results, and throws the first error among them.
  ///
  /// - Parameter commits: true if the round trip may commit, so that a lost connection means an unknown
  ///   outcome.
  func endRound(commits: Bool = false) throws(PostgresError) {
    let failure = exchange(commits: commits)
    if abandonReason == nil { gate.endRound() } else { gate.abandonRound() }
    guard let failure else { return }
    throw gate.isCancelled && failure.sqlState == .queryCanceled
      ? failure.with { $0.kind = .cancelled } : failure
  }

  /// Performs the round trip and returns its first error.
  ///
  /// - Parameter commits: true if the round trip may commit.
  func exchange(commits: Bool) -> PostgresError? {
    defer { pending.removeAll(keepingCapacity: true) }
    if let onRoundTrip = configuration.onRoundTrip { onRoundTrip(statementsUnderWay) }
    result = nil
    var reading = Reading(failure: queueFailure)
    queueFailure = nil
    guard PQpipelineSync(raw) == 1 else { return lost(reading, commits: commits) }
    hasUnsentBytes = true
    for entry in pending {
      guard let first = nextResult() else { return lost(reading, commits: commits) }
      let status = PQresultStatus(first)
      if status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH {
        // A pipeline cannot switch to COPY.
        PQclear(first)
        markDead()
        return PostgresError(.usage, "COPY is run by copy(into:) and copyOut(_:) only")
          .with { $0.statement = entry.sql.text }
      }
      while let more = nextResult() { PQclear(more) }
      accept(first, status, entry, &reading)
      guard PQstatus(raw) == CONNECTION_OK else { return lost(reading, commits: commits) }
    }
    guard let sync = nextResult() else { return lost(reading, commits: commits) }
    let isSync = PQresultStatus(sync) == PGRES_PIPELINE_SYNC
    PQclear(sync)
    guard isSync else { return lost(reading, commits: commits) }
    return reading.failure
  }

  /// The queued statements without the `prepare` messages added by this library.
  private var statementsUnderWay: [SQL] {
    var statements: [SQL] = []
    for entry in pending {
      if case .prepare = entry.role { continue }
      statements.append(entry.sql)
    }
    return statements
  }

  /// The results read so far.
  struct Reading {
    var failure: PostgresError?
    /// True if the server has rejected a statement; it skips the following ones.
    var isRefused = false
    /// Number of statements that succeeded.
    var answered = 0
  }

  /// Keeps the result of one statement, or its error if it is the first one.
  private func accept(
    _ raw: OpaquePointer,
    _ status: ExecStatusType,
    _ entry: Pending,
    _ reading: inout Reading
  ) {
    switch status {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
      reading.answered += 1
      keep(ResultSet(raw: raw, statement: entry.sql), entry, &reading)
    case PGRES_PIPELINE_ABORTED:
      if case .prepare = entry.role { cache.forget(entry.sql) }
      PQclear(raw)
    default:
      if reading.failure == nil {
        let error = asMoved(PostgresError(result: raw, statement: entry.sql))
        reading.isRefused = error.sqlState != nil
        reading.failure = error
        forgetIfStale(entry, error)
      }
      PQclear(raw)
    }
  }

  /// Turns the refusal of a write by a server that only reads into a lost connection: the primary has moved, or the
  /// address is that of a standby. This connection and all others of the pool are replaced before their next use.
  ///
  /// A write in a transaction that the program declared read-only is a mistake of the program.
  private func asMoved(_ error: PostgresError) -> PostgresError {
    let isDeclared = transaction.phase == .open && transaction.options.readOnly
    guard error.sqlState == .readOnlySQLTransaction, !isDeclared else { return error }
    isMisplaced = true
    switches.suspectConnections()
    return error.with { $0.kind = .connection }
  }

  /// Passes a result to its receiver.
  private func keep(_ set: ResultSet, _ entry: Pending, _ reading: inout Reading) {
    switch entry.role {
    case .discarded: break
    case .prepare: entry.prepared?.isPrepared = true
    case .kept: result = set
    case .delivered(let sink): sink.accept(set)
    // Without an id the outcome of a lost commit stays unknown.
    case .transactionID: transaction.id = try? set.value(String.self)
    case .commit:
      // The server answers the COMMIT of a failed transaction with success and the tag ROLLBACK.
      if !set.isTagged("COMMIT"), reading.failure == nil {
        reading.isRefused = true
        reading.failure = PostgresError(
          .server,
          "the transaction was rolled back, because an earlier statement failed",
          sqlState: .inFailedSQLTransaction
        )
      }
    }
  }

  /// Forgets a prepared statement that the server has lost or cannot run any more.
  private func forgetIfStale(_ entry: Pending, _ error: PostgresError) {
    guard let prepared = entry.prepared else { return }
    if case .prepare = entry.role {
      cache.forget(entry.sql)
      return
    }
    if error.sqlState == .invalidSQLStatementName {
      // A pooler has switched to another server process: stop using prepared statements.
      prepared.isPrepared = false
      cache.forget(entry.sql)
      switches.stopPreparing()
      lostPlan = true
    } else if error.sqlState == .featureNotSupported, error.fields.reportedBy == "RevalidateCachedQuery" {
      // "cached plan must not change result type": the table was altered since.
      cache.forget(entry.sql)
      lostPlan = true
    }
  }

  /// Returns the error for a round trip during which the connection broke.
  private func lost(_ reading: Reading, commits: Bool) -> PostgresError {
    markDead()
    var ending = reading.failure ?? PostgresError(connection: raw, statement: pending.last?.sql)
    if let abandonReason { ending = ending.with { $0.message = abandonReason } }
    // After an error response the server does not commit. Without one the outcome is unknown.
    let isOpen = commits && !reading.isRefused
    return ending.with {
      $0.kind = isOpen ? .unknownOutcome : .connection
      if isOpen { $0.message = "the connection was lost before the commit was confirmed: \($0.message)" }
    }
  }

  /// Returns the next result; `nil` at the end of a statement's results and if the connection was lost. Sends
  /// and receives concurrently while there is something to send.
  func nextResult() -> OpaquePointer? {
    if hasUnsentBytes { pump() }
    // Without a timeout libpq waits by itself.
    guard isAlive, configuration.probeAfter == nil || awaitResponse() else { return nil }
    return PQgetResult(raw)
  }

  /// Sends everything that is queued, and reads responses that arrive meanwhile.
  func pushOut() {
    hasUnsentBytes = true
    // Errors occur again, and are reported, when the results are read.
    while PQflush(raw) == 1 {
      guard wait(for: POLLIN | POLLOUT) != nil, PQconsumeInput(raw) == 1 else { return }
    }
    hasUnsentBytes = false
  }

  /// Sends until everything is sent or a result can be read.
  private func pump() {
    while true {
      // PQgetResult reports the error, after what the server sent before it closed the connection.
      guard PQflush(raw) == 1 else {
        hasUnsentBytes = false
        return
      }
      guard PQisBusy(raw) == 1 else { return }
      guard let ready = wait(for: POLLIN | POLLOUT) else {
        hasUnsentBytes = false
        return
      }
      if ready & Int16(POLLIN) != 0, PQconsumeInput(raw) == 0 {
        hasUnsentBytes = false
        return
      }
    }
  }

  /// True if the socket has data or an end although no response is expected: the server has closed the
  /// connection or sent a message of its own.
  var looksClosed: Bool {
    var socket = pollfd(fd: PQsocket(raw), events: Int16(POLLIN), revents: 0)
    return poll(&socket, 1, 0) != 0
  }
}
