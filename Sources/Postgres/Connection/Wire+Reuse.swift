extension Wire {
  /// Returns true if the failed work can be repeated transparently: the server has not answered it, and
  /// either a pooled connection was dead or to a server that only reads, or a prepared statement was stale.
  func canRepeat(_ error: PostgresError, isPooled: Bool) -> Bool {
    if transaction.isAnswered { return false }
    if !isAlive || isMisplaced { return isPooled && error.kind == .connection }
    return lostPlan && error.kind == .server
  }

  /// Resets everything that could affect the next user: rolls back an open transaction, and deallocates
  /// evicted statements.
  func tidyUp() {
    guard isAlive else { return }
    if isInTransaction {
      transaction.phase = .open
      rollBack()
    }
    let evicted = cache.takeEvicted()
    guard !evicted.isEmpty, isAlive else { return }
    for name in evicted {
      let sql: SQL = "deallocate \(identifier: name)"
      queue(sql.unprepared(), .discarded)
    }
    if exchange(commits: false) != nil {
      // The server's prepared statements differ from the cache, so none of the names can be trusted.
      cache.removeAll()
    }
  }
}
