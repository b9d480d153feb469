internal import CoreCommands
internal import Logging
internal import Postgres
internal import ServiceLifecycle
internal import Store

/// Notices that the database was restored: when the process starts, on each new connection, every 5 seconds, and after
/// its connection was lost.
struct WitnessService: Service {
  private let database: Database
  private let keeper: WitnessKeeper

  /// Checks for the first time.
  ///
  /// - Parameter keeper: that of the database's connections.
  /// - Throws: the errors of the database.
  init(_ database: Database, _ keeper: WitnessKeeper) async throws {
    self.database = database
    self.keeper = keeper
    try await keeper.check(database)
  }

  /// Returns the keeper for all connections of a process.
  static func keeper(_ logger: Logger) throws -> WitnessKeeper {
    WitnessKeeper(try KeyLocation.witness()) { Self.log($0, logger) }
  }

  /// Checks soon.
  func wake() { keeper.wake() }

  /// Checks until graceful shutdown or cancellation.
  func run() async throws {
    await cancelWhenGracefulShutdown { await keeper.run(database) }
  }

  private static func log(_ news: WitnessKeeper.News, _ logger: Logger) {
    switch news {
    case .restored(.none): break
    case .restored(.adopted(let jobs)):
      logger.notice("the database was restored from a dump", metadata: ["open_jobs": "\(jobs)"])
    case .restored(.rewound(.olderTimeline)):
      logger.error(
        "the database has an older timeline than before, so there were two primaries: devices synchronise again",
        metadata: ["differs": "\(Witness.Difference.olderTimeline.rawValue)"]
      )
    case .restored(.rewound(let difference)):
      logger.notice(
        "the database was restored, or promoted unannounced: devices synchronise again",
        metadata: ["differs": "\(difference.rawValue)"]
      )
    case .restored(.kept): logger.notice("the database was promoted without a loss: the epoch goes on")
    case .unwritable(let failure):
      logger.warning(
        "a restore of the data folder may go unnoticed: name a file with FETTLE_WITNESS",
        metadata: ["error": "\(failure)"]
      )
    }
  }
}
