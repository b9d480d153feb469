package import Postgres

/// What the first process does on a database that was restored from a dump.
package enum Restoration {
  /// Takes over the queue, whose rows name transactions of another server, and begins a new epoch of the data.
  ///
  /// Servers and workers call it when they start. The first one does the work, and the others wait for it.
  ///
  /// - Returns: the number of open jobs; nil if nothing was restored.
  package static func adopt(_ database: Database) async throws -> Int? {
    guard try await !database.value("select core.jobs_are_home()", as: Bool.self) else { return nil }
    // Takes about 0.1 ms per job, including ended ones: many jobs exceed a process's statement timeout.
    var options = TransactionOptions()
    options.statementTimeout = .seconds(3_600)
    options.idleTimeout = .seconds(3_600)
    return try await database.transaction(options) { tx in
      try tx.value("select core.adopt_jobs()", as: Int.self)
    }
  }
}
