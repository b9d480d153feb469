internal import FoundationEssentials
package import Postgres

/// What the first process does on a database that was restored.
package enum Restoration {
  /// The outcome of a check.
  package enum Outcome: Sendable, Hashable {
    /// Nothing was restored, or another process has dealt with it.
    case none
    /// The database was restored from a dump. Its open jobs were taken over, and a new epoch was begun.
    case adopted(jobs: Int)
    /// Changes may be lost, as a difference from the witness shows. A new epoch was begun.
    case rewound(Witness.Difference)
    /// The server was promoted without a loss. The epoch goes on.
    case kept
  }

  /// Decides whether the database was restored since a witness was written, and begins a new epoch if so.
  ///
  /// A dump is noticed by the database alone: its rows name transactions of another server. A restored data folder, a
  /// recovery to a point in time and a promotion are noticed by the witness. Servers and workers call it when they
  /// start, on each new connection, and while they run. The first one begins the epoch.
  ///
  /// - Returns: the outcome, and the witness to keep from now on; the given one from a standby.
  package static func check(_ session: Session, _ witness: Witness?) throws -> (Outcome, Witness?) {
    if let jobs = try adopt(session) {
      return (.adopted(jobs: jobs), try DataStanding.read(session).map(Witness.init))
    }
    guard let now = try DataStanding.read(session) else { return (.none, witness) }
    guard let witness else { return (.none, Witness(now)) }
    switch witness.judge(now) {
    case .same, .replaced: return (.none, Witness(now))
    case .kept: return (.kept, Witness(now))
    case .lost(let difference):
      try session.execute("select core.replace_epoch(\(now.epoch), \(witness.epoch))")
      return (.rewound(difference), try DataStanding.read(session).map(Witness.init))
    }
  }

  /// Checks on a connection of a pool.
  package static func check(_ database: Database, _ witness: Witness?) async throws -> (Outcome, Witness?) {
    try await database.statements { try check($0, witness) }
  }

  /// Takes over the queue of a dump, whose rows name transactions of another server, and begins a new epoch of the
  /// data.
  ///
  /// The first process does the work, and the others wait for it.
  ///
  /// - Returns: the number of open jobs; nil if nothing was restored from a dump.
  package static func adopt(_ session: Session) throws -> Int? {
    guard try !session.value("select core.jobs_are_home()", as: Bool.self) else { return nil }
    // Takes about 0.1 ms per job, including ended ones: many jobs exceed a process's statement timeout.
    var options = TransactionOptions()
    options.statementTimeout = .seconds(3_600)
    options.idleTimeout = .seconds(3_600)
    return try session.transaction(options) { tx in
      try tx.value("select core.adopt_jobs()", as: Int.self)
    }
  }

  /// Takes over the queue of a dump on a connection of a pool.
  package static func adopt(_ database: Database) async throws -> Int? {
    try await database.statements { try adopt($0) }
  }
}
