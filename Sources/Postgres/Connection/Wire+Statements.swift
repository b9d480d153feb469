extension Wire {
  /// Runs one statement: in the transaction of that number, or on its own when there is none.
  func run(_ sql: SQL, in number: Int?) throws(PostgresError) -> ResultSet {
    try round(in: number) { wire in wire.queue(sql, .kept) }
    guard let result else { throw PostgresError(.connection, "the server sent no result") }
    self.result = nil
    return result
  }

  /// Runs queued statements in one round trip; each result goes to its ticket.
  func run(_ items: [Pipeline.Item], in number: Int?) throws(PostgresError) {
    guard !items.isEmpty else { return }
    try round(in: number) { wire in
      for item in items { wire.queue(item.sql, .delivered(item.sink)) }
    }
  }

  /// Sends statements and leaves their results for the next round trip, so that the server works meanwhile.
  ///
  /// There is no sync behind them yet. So what fails is told by that round trip, and skips all that it brings.
  func send(_ items: [Pipeline.Item], in number: Int) throws(PostgresError) {
    guard !items.isEmpty else { return }
    try checkOpen(number)
    try beginRound()
    queueAhead()
    for item in items { queue(item.sql, .delivered(item.sink)) }
    pushOut()
  }

  /// Waits for the results of what was sent, if anything was.
  func collect(in number: Int) throws(PostgresError) {
    guard !pending.isEmpty else { return }
    try round(in: number) { _ in }
  }

  /// Reads the results of what was sent, whatever they are: nobody wants them any more.
  func drain() {
    guard !pending.isEmpty else { return }
    _ = exchange(commits: false)
    gate.endRound()
  }

  /// One round trip, with whatever the transaction still has to send ahead of it.
  private func round(in number: Int?, _ fill: (Wire) -> Void) throws(PostgresError) {
    guard let number else {
      guard transaction.phase != .open else {
        throw PostgresError(.usage, "a transaction is under way on this session; use it instead")
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

  /// Sends what waits to travel ahead, for statements that cannot share a round trip.
  func flushAhead(in number: Int) throws(PostgresError) {
    try checkOpen(number)
    guard !transaction.isBegun || !transaction.ahead.isEmpty || !pending.isEmpty else { return }
    try round(in: number) { _ in }
  }

  func checkOpen(_ number: Int) throws(PostgresError) {
    guard transaction.number == number, transaction.phase == .open else {
      throw PostgresError(.usage, "the transaction has ended and takes no more statements")
    }
  }

  /// Queues `begin` with the settings, if they are still to be sent, and what waits to travel ahead.
  func queueAhead(commits: Bool = false) {
    if !transaction.isBegun {
      transaction.isBegun = true
      let options = transaction.options
      queue(options.beginning, .discarded)
      options.forEachSetting { queue($0, .discarded) }
      // When the commit travels along, its answer is lost together with that of this question.
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

  func noteFailure(_ error: PostgresError) {
    // A retry that nobody notices is possible only while the body has seen no answer of the server.
    if transaction.failure == nil { transaction.failure = error }
  }
}
