internal import CoreCommands
internal import Logging
internal import Postgres
internal import ServiceLifecycle
internal import Store

/// Notices that the database was restored: when the process starts, every 5 seconds, and after its connection was lost.
struct WitnessService: Service {
  private let keeper: WitnessKeeper

  /// Checks for the first time.
  ///
  /// - Throws: the errors of the database.
  init(_ database: Database, _ logger: Logger) async throws {
    keeper = WitnessKeeper(database, try KeyLocation.witness()) { Self.log($0, logger) }
    try await keeper.check()
  }

  /// Checks soon.
  func wake() { keeper.wake() }

  /// Checks until graceful shutdown or cancellation.
  func run() async throws {
    await cancelWhenGracefulShutdown { await keeper.run() }
  }

  private static func log(_ news: WitnessKeeper.News, _ logger: Logger) {
    switch news {
    case .restored(.none): break
    case .restored(.adopted(let jobs)):
      logger.notice("the database was restored from a dump", metadata: ["open_jobs": "\(jobs)"])
    case .restored(.rewound(let difference)):
      logger.notice(
        "the database was restored, or promoted unannounced: devices synchronise again",
        metadata: ["differs": "\(difference.rawValue)"]
      )
    case .restored(.kept): logger.notice("the database was promoted as announced: the epoch goes on")
    case .unwritable(let failure):
      logger.warning(
        "a restore of the data folder may go unnoticed: name a file with FETTLE_WITNESS",
        metadata: ["error": "\(failure)"]
      )
    }
  }
}
