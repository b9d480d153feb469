extension Wire {
  /// Runs a body as one transaction: commits when it returns, rolls back when it throws.
  ///
  /// - Throws: the error of the body, or ``PostgresError``; of kind `usage` if a transaction is open.
  func transaction<T>(
    _ options: TransactionOptions,
    _ body: (Transaction) throws -> T
  ) throws -> T {
    guard transaction.phase != .open else {
      throw PostgresError(.usage, "a transaction is already open; use a savepoint")
    }
    let number = transaction.number + 1
    transaction = TransactionState()
    transaction.number = number
    transaction.options = options
    transaction.phase = .open
    do {
      let value = try body(Transaction(wire: self, number: number))
      if transaction.phase == .open { try commit([], in: number) }
      return value
    } catch {
      rollBack()
      throw error
    }
  }

  /// Sends the last statements and the commit in one round trip.
  ///
  /// - Throws: the error that aborted the transaction earlier, or that of the commit. The transaction has
  ///   ended only if this returns or the outcome is unknown; otherwise the caller rolls back.
  func commit(_ items: [Pipeline.Item], provenBy proof: SQL? = nil, in number: Int) throws(PostgresError) {
    try checkOpen(number)
    guard transaction.depth == 0 else {
      throw PostgresError(.usage, "a savepoint is open; the transaction cannot be committed inside it")
    }
    if let failure = transaction.failure {
      rollBack()
      throw failure
    }
    guard !transaction.options.rollsBack else { return try rehearse(items, in: number) }
    guard transaction.isBegun || !items.isEmpty else { return committed() }
    try beginRound()
    queueAhead(commits: true)
    for item in items { queue(item.sql, .delivered(item.sink)) }
    queue("commit", .commit)
    do {
      try endRound(commits: true)
      transaction.isAnswered = true
    } catch {
      noteFailure(error)
      guard error.kind == .unknownOutcome else { throw error }
      transaction.phase = .ended
      // Resolving runs a transaction on another connection.
      try resolve(error, proof: proof)
    }
    committed()
  }

  /// Does what a commit does but for its effect: sends the last statements, checks deferred constraints and rolls back.
  private func rehearse(_ items: [Pipeline.Item], in number: Int) throws(PostgresError) {
    if transaction.isBegun || !items.isEmpty {
      var checks = Pipeline()
      checks.execute("set constraints all immediate")
      try run(items + checks.items, in: number)
    }
    rollBack()
  }

  /// Ends the transaction, and calls what waits for its commit.
  private func committed() {
    transaction.phase = .ended
    let bodies = transaction.afterCommit
    transaction.afterCommit = []
    for body in bodies { body() }
  }

  /// Rolls the transaction back. Cannot be cancelled and never throws; a connection on which it fails is
  /// dead.
  func rollBack() {
    guard transaction.phase == .open else { return }
    transaction.phase = .ended
    transaction.ahead = []
    if isAlive { drain() }
    guard isAlive, isInTransaction else { return }
    // Outside the gate: the transaction of a cancelled task is rolled back as well.
    queue("rollback", .discarded)
    if exchange(commits: false) != nil { markDead() }
  }

  /// Runs a part of the transaction inside a savepoint, which is created with the first statement of the
  /// body.
  func savepoint<T>(in number: Int, _ body: () throws -> T) throws -> T {
    try checkOpen(number)
    transaction.depth += 1
    defer { transaction.depth -= 1 }
    let name = Identifier("s\(transaction.depth)")
    let rounds = transaction.rounds
    let position = transaction.ahead.count
    transaction.ahead.append("savepoint \(identifier: name)")
    do {
      let value = try body()
      // The errors of statements sent inside the savepoint must be thrown inside it.
      if transaction.phase == .open { try collect(in: number) }
      if let failure = transaction.failure { throw failure }
      if transaction.phase == .open {
        if transaction.rounds == rounds {
          transaction.ahead.removeSubrange(position...)
        } else {
          transaction.ahead.append("release savepoint \(identifier: name)")
        }
      }
      return value
    } catch {
      guard transaction.phase == .open, isAlive, !gate.isCancelled else { throw error }
      if transaction.rounds == rounds {
        transaction.ahead.removeSubrange(position...)
      } else {
        try returnTo(name)
      }
      throw error
    }
  }

  /// Rolls back to the savepoint and releases it.
  private func returnTo(_ name: Identifier) throws(PostgresError) {
    transaction.ahead = []
    drain()
    try beginRound()
    queue("rollback to savepoint \(identifier: name)", .discarded)
    queue("release savepoint \(identifier: name)", .discarded)
    transaction.rounds += 1
    try endRound()
    transaction.failure = nil
  }
}
