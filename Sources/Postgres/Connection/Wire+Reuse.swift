extension Wire {
  /// True when what failed can be run again without anybody noticing.
  func canRepeat(_ error: PostgresError, isPooled: Bool) -> Bool {
    if transaction.isAnswered { return false }
    if !isAlive { return isPooled && error.kind == .connection }
    return lostPlan && error.kind == .server
  }

  /// Leaves nothing behind for the next user.
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
      // The server has other names than we think, so none of ours can be relied upon.
      cache.removeAll()
    }
  }
}
