extension Wire {
  /// Runs one statement in the given transaction.
  ///
  /// - Parameter number: the transaction's number; `nil` to run the statement in a transaction of its own.
  func run(_ sql: SQL, in number: Int?) throws(PostgresError) -> ResultSet {
    try round(in: number) { wire in wire.queue(sql, .kept) }
    guard let result else { throw PostgresError(.connection, "the server sent no result") }
    self.result = nil
    return result
  }

  /// Runs the queued statements in one round trip and delivers each result to its ticket. Does nothing
  /// without statements.
  func run(_ items: [Pipeline.Item], in number: Int?) throws(PostgresError) {
    guard !items.isEmpty else { return }
    try round(in: number) { wire in
      for item in items { wire.queue(item.sql, .delivered(item.sink)) }
    }
  }

  /// Sends statements and leaves their results for the next round trip, so that the server works meanwhile.
  ///
  /// No sync follows them yet: the next round trip throws their errors, and its own statements are skipped
  /// after an error.
  func send(_ items: [Pipeline.Item], in number: Int) throws(PostgresError) {
    guard !items.isEmpty else { return }
    try checkOpen(number)
    try beginRound()
    queueAhead()
    for item in items { queue(item.sql, .delivered(item.sink)) }
    pushOut()
  }

  /// Waits for the results of statements that were sent, if there are any.
  func collect(in number: Int) throws(PostgresError) {
    guard !pending.isEmpty else { return }
    try round(in: number) { _ in }
  }

  /// Discards the results of statements that were sent.
  func drain() {
    guard !pending.isEmpty else { return }
    _ = exchange(commits: false)
    gate.endRound()
  }

  /// Performs one round trip. The statements that the transaction still has to send come first.
  private func round(in number: Int?, _ fill: (Wire) -> Void) throws(PostgresError) {
    guard let number else {
      guard transaction.phase != .open else {
        throw PostgresError(.usage, "a transaction is open on this session; use it instead")
      }
      try beginRound()
      fill(self)
      try endRound(commits: true)
      transaction.isAnswered = true
      return
    }
    try checkOpen(number)
    try beginRound()
    queueAhead()
    fill(self)
    do {
      try endRound()
      transaction.isAnswered = true
    } catch {
      noteFailure(error)
      throw error
    }
  }

  /// Sends the leading statements on their own, for statements that cannot share a round trip.
  func flushAhead(in number: Int) throws(PostgresError) {
    try checkOpen(number)
    guard !transaction.isBegun || !transaction.ahead.isEmpty || !pending.isEmpty else { return }
    try round(in: number) { _ in }
  }

  /// - Throws: ``PostgresError`` of kind `usage` unless this transaction is open.
  func checkOpen(_ number: Int) throws(PostgresError) {
    guard transaction.number == number, transaction.phase == .open else {
      throw PostgresError(.usage, "the transaction has ended; no further statements are possible")
    }
  }

  /// Queues `begin` and its settings if they have not been sent, and the other leading statements.
  func queueAhead(commits: Bool = false) {
    if !transaction.isBegun {
      transaction.isBegun = true
      let options = transaction.options
      queue(options.beginning, .discarded)
      if let setting = options.setting { queue(setting, .discarded) }
      // If the commit travels in the same round trip, a lost response would lose the id as well.
      if options.resolvesLostCommit && !commits {
        queue("select pg_current_xact_id()::text", .transactionID)
      }
    }
    if !transaction.ahead.isEmpty {
      for sql in transaction.ahead { queue(sql, .discarded) }
      transaction.ahead.removeAll(keepingCapacity: true)
    }
    transaction.rounds += 1
  }

  /// Records the error that aborted the transaction.
  func noteFailure(_ error: PostgresError) {
    // Later errors only follow from the first one.
    if transaction.failure == nil { transaction.failure = error }
  }
}
