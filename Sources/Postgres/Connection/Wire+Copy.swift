internal import CLibPQ
internal import Glibc

extension Wire {
  /// Runs `copy … from stdin` and returns the number of rows; `fill` sends the data in chunks.
  ///
  /// - Throws: the error of `fill`, after the copy was aborted, or ``PostgresError``.
  func copyIn(_ sql: SQL, in number: Int, _ fill: () throws -> Void) throws -> Int {
    try beginCopy(sql, in: number, expecting: PGRES_COPY_IN)
    var cause: (any Error)?
    do {
      try fill()
    } catch {
      cause = error
    }
    let end = cause == nil ? PQputCopyEnd(raw, nil) : PQputCopyEnd(raw, "aborted by the client")
    if end == 1 { hasUnsentBytes = true }
    let (affected, failure) = endCopy(sql)
    gate.endRound()
    // The caller's own error takes precedence: the server's error only follows from it.
    if let cause {
      noteFailure(failure ?? PostgresError(.usage, "the copy was abandoned"))
      throw cause
    }
    if let failure { throw noted(failure) }
    return affected
  }

  /// Sends data during `copyIn`. Blocks until the data has left libpq's buffer.
  func putCopyData(_ bytes: [UInt8]) throws(PostgresError) {
    guard !gate.isCancelled else { throw PostgresError(.cancelled, "the task was cancelled") }
    let sent = bytes.withUnsafeBytes { bytes in
      // libpq takes an Int32 length, so a large chunk is sent in parts.
      stride(from: 0, to: bytes.count, by: 1 << 20).allSatisfy { start in
        let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + 1 << 20, bytes.count)])
        guard let address = piece.baseAddress else { return true }
        return PQputCopyData(raw, address.assumingMemoryBound(to: CChar.self), Int32(piece.count)) == 1
      }
    }
    guard sent else { throw PostgresError(connection: raw) }
    // Sent before the next chunk is built, so that memory stays bounded.
    while PQflush(raw) == 1 {
      guard waitForSocket(), PQconsumeInput(raw) == 1 else { throw PostgresError(connection: raw) }
    }
  }

  /// Runs `copy … to stdout` and returns the number of rows; `take` borrows each row as it arrives.
  ///
  /// - Throws: the error of `take`, after the remaining rows were dropped, or ``PostgresError``.
  func copyOut(_ sql: SQL, in number: Int, _ take: (RawSpan) throws -> Void) throws -> Int {
    try beginCopy(sql, in: number, expecting: PGRES_COPY_OUT)
    var cause: (any Error)?
    var row: UnsafeMutablePointer<CChar>?
    while case let length = PQgetCopyData(raw, &row, 0), length >= 0, let start = row {
      defer { PQfreemem(start) }
      guard cause == nil else { continue }
      do {
        try take(UnsafeRawBufferPointer(start: start, count: Int(length)).bytes)
      } catch {
        cause = error
        // The remaining rows are read and dropped; a cancel request keeps them few.
        gate.interrupt()
      }
    }
    let (affected, failure) = endCopy(sql)
    gate.endRound()
    if let cause {
      if let failure { noteFailure(failure) }
      throw cause
    }
    if let failure { throw noted(failure) }
    return affected
  }

  /// Leaves pipeline mode, in which libpq cannot copy, and starts the statement.
  ///
  /// - Throws: ``PostgresError``; the connection is in pipeline mode again unless it is dead.
  private func beginCopy(_ sql: SQL, in number: Int, expecting: ExecStatusType) throws(PostgresError) {
    guard sql.parameters.count == 0 else {
      throw PostgresError(.usage, "COPY takes no bound values").with { $0.statement = sql.text }
    }
    try flushAhead(in: number)
    try beginRound()
    guard PQexitPipelineMode(raw) == 1, sql.withCString({ PQsendQuery(raw, $0) }) == 1 else {
      gate.endRound()
      markDead()
      throw PostgresError(connection: raw)
    }
    hasUnsentBytes = true
    guard let first = nextResult() else {
      gate.endRound()
      markDead()
      throw PostgresError(connection: raw)
    }
    guard PQresultStatus(first) != expecting else {
      PQclear(first)
      return
    }
    let error = PostgresError(result: first, statement: sql)
    PQclear(first)
    _ = endCopy(sql)
    gate.endRound()
    throw noted(error)
  }

  /// Reads the outcome and returns to pipeline mode.
  private func endCopy(_ sql: SQL) -> (affected: Int, failure: PostgresError?) {
    var affected = 0
    var failure: PostgresError?
    while let raw = nextResult() {
      let set = ResultSet(raw: raw, statement: sql)
      if PQresultStatus(raw) == PGRES_COMMAND_OK {
        affected = set.affected
      } else if failure == nil {
        failure = PostgresError(result: raw, statement: sql)
      }
      guard PQstatus(self.raw) == CONNECTION_OK else { break }
    }
    if PQstatus(raw) != CONNECTION_OK || PQenterPipelineMode(raw) != 1 {
      markDead()
      failure = (failure ?? PostgresError(connection: raw, statement: sql)).with { $0.kind = .connection }
    }
    return (affected, failure)
  }

  /// Records the failure of the transaction, and returns it as a cancellation if the task was cancelled.
  private func noted(_ failure: PostgresError) -> PostgresError {
    noteFailure(failure)
    return gate.isCancelled && failure.sqlState == .queryCanceled
      ? failure.with { $0.kind = .cancelled } : failure
  }

  /// Waits until the socket can be read or written, without a time limit. Returns false if `poll` fails.
  func waitForSocket() -> Bool {
    var socket = pollfd(fd: PQsocket(raw), events: Int16(POLLIN | POLLOUT), revents: 0)
    return poll(&socket, 1, -1) >= 0 || errno == EINTR
  }
}
